// CPU time of this process, which other processes on the machine do not disturb.

/** Microseconds of CPU used so far, garbage collection included. */
export function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
