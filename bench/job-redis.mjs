import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';

/** A Redis with jobs in it, on the disk of that folder. The caller kills it. */
export async function startRedis(folder) {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const args = ['--port', port, '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes', '--save', ''];
  const child = spawn('redis-server', args.map(String), { stdio: 'ignore' });
  await delay(1_000);
  return { child, url: `redis://127.0.0.1:${port}` };
}
