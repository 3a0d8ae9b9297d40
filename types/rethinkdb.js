// Types only: `import 'livefold/rethinkdb'` does nothing when it runs.
