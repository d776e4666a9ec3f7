import { availableParallelism, cpus, loadavg, totalmem, type, release, arch } from 'node:os';

/** Lines about where the figures come from. Called before the first round: the load is what others make. */
export function describeMachine(browserVersion) {
  const gibibytes = (totalmem() / 2 ** 30).toFixed(0);
  return [
    `Machine: ${availableParallelism()} cores (${cpus()[0]?.model.trim() || 'unknown model'}), ${gibibytes} GiB, ${type()} ${release()} ${arch()}, load at the start ${loadavg()[0].toFixed(2)}`,
    `Node ${process.version}, ${browserVersion}`,
  ];
}
