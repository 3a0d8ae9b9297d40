// Types only: `import 'livefold/rethinkdb-ts'` does nothing when it runs.
