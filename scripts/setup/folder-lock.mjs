import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SetupError } from './run.mjs';

const WAIT_MS = 10 * 60_000; // an install over a slow network
const RETRY_MS = 200;
const WRITING_MS = 2_000; // between making the folder and naming its holder

/**
 * Runs `work` while no other process of this machine does so for the same folder. A lock whose holders have all ended
 * is taken over. `work` gets `addHolder(pid)`, for children that may outlive this process.
 */
export async function withFolderLock(folder, report, work) {
  await acquire(folder, report);
  const holders = [describeProcess(process.pid)];
  const addHolder = (pid) => {
    holders.push(describeProcess(pid));
    writeHolders(folder, holders);
  };
  try {
    writeHolders(folder, holders);
    return await work({ addHolder });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function acquire(folder, report) {
  const giveUpAt = Date.now() + WAIT_MS;
  let unnamedSince;
  let hasReported = false;
  while (!tryMakeFolder(folder)) {
    const holders = readHolders(folder);
    if (holders !== undefined) unnamedSince = undefined;
    else unnamedSince ??= Date.now();
    const isAbandoned = holders?.every(hasExited) ?? Date.now() - unnamedSince > WRITING_MS;
    if (isAbandoned) {
      takeAway(folder, holders);
      continue;
    }
    if (Date.now() > giveUpAt) {
      throw new SetupError(
        `another set-up has held the lock of this folder for ten minutes; wait for it, or delete ${folder} if no set-up is running.`,
      );
    }
    if (!hasReported) report('waiting for another set-up in this folder');
    hasReported = true;
    await delay(RETRY_MS);
  }
}

function tryMakeFolder(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new SetupError(`${folder} cannot be created (${error.code}); make this folder writable for your user.`);
  }
}

/**
 * Removes an abandoned lock. Two waiting processes may see it, so the one that moves it checks that it is the same
 * lock.
 */
function takeAway(folder, holders) {
  const aside = `${folder}-${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch {
    return; // another process was faster
  }
  const moved = readHolders(aside);
  if (JSON.stringify(moved) === JSON.stringify(holders)) rmSync(aside, { recursive: true, force: true });
  else renameSync(aside, folder);
}

function writeHolders(folder, holders) {
  const draft = join(folder, 'holders.tmp');
  writeFileSync(draft, JSON.stringify(holders));
  renameSync(draft, join(folder, 'holders'));
}

function readHolders(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'holders'), 'utf8'));
  } catch {
    return undefined; // not written yet, or already removed
  }
}

/** Identifies a process by id and start time, because ids are reused, in containers at once. */
function describeProcess(pid) {
  return { pid, startedAt: readStart(pid) };
}

function hasExited({ pid, startedAt }) {
  if (startedAt !== null) return readStart(pid) !== startedAt;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Returns the start time in clock ticks since boot. Null if the process has ended, or without /proc. */
function readStart(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // after the name, which may contain spaces
    const hasEnded = fields[0] === 'Z'; // a zombie: killed and not reaped, common in containers
    return hasEnded ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
