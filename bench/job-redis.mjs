import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Starts a Redis that stores its data in `folder`. `start` restarts it on the same port. The caller kills the process.
 */
export async function startRedis(folder, options = []) {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const args = ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes', '--save', ''];
  const start = async () => {
    const child = spawn('redis-server', [...args.map(String), ...options], { stdio: 'ignore' });
    await delay(1_000);
    return child;
  };
  return { child: await start(), start, url: `redis://127.0.0.1:${port}` };
}
