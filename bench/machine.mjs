import { availableParallelism, cpus, loadavg, totalmem, type, release, arch } from 'node:os';

/** Returns lines about the machine. Called before the first round, so the load is the load of other programs. */
export function describeMachine(browserVersion) {
  const gibibytes = (totalmem() / 2 ** 30).toFixed(0);
  return [
    `Machine: ${availableParallelism()} cores (${cpus()[0]?.model.trim() || 'unknown model'}), ${gibibytes} GiB, ${type()} ${release()} ${arch()}, load at the start ${loadavg()[0].toFixed(2)}`,
    `Node ${process.version}, ${browserVersion}`,
  ];
}
