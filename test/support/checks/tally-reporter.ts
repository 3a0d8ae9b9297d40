// Ends the output of a test run with one plain line: `N passed, N failed, N skipped`.

import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node';

/** Counts test cases; a file or a run that fails without one counts as a failed one. */
export default class TallyReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[], reason: TestRunEndReason): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) counts[test.result().state]++;
    }
    if (reason !== 'passed' && counts.failed === 0) counts.failed++;
    const { passed, failed, skipped, pending } = counts;
    process.once('exit', () => {
      process.stdout.write(`${passed} passed, ${failed} failed, ${skipped + pending} skipped\n`);
    });
  }
}
