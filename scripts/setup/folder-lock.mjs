import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SetupError } from './run.mjs';

const WAIT_MS = 10 * 60_000; // an install over a slow line
const RETRY_MS = 200;
const WRITING_MS = 2_000; // between making the folder and naming its holder

/**
 * Runs `work` while no other process of this machine does so for the same folder. A lock whose holders are all
 * gone is taken over. `work` gets `addHolder(pid)`, for children that may outlive us.
 */
export async function withFolderLock(folder, say, work) {
  await acquire(folder, say);
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

async function acquire(folder, say) {
  const giveUpAt = Date.now() + WAIT_MS;
  let unnamedSince;
  let saidSo = false;
  while (!tryMakeFolder(folder)) {
    const holders = readHolders(folder);
    if (holders !== undefined) unnamedSince = undefined;
    else unnamedSince ??= Date.now();
    const isAbandoned = holders?.every(isGone) ?? Date.now() - unnamedSince > WRITING_MS;
    if (isAbandoned) {
      takeAway(folder, holders);
      continue;
    }
    if (Date.now() > giveUpAt) {
      throw new SetupError(
        `another set-up has been at work in this folder for ten minutes; wait for it, or delete ${folder} if there is none.`,
      );
    }
    if (!saidSo) say('waiting for another set-up in this folder');
    saidSo = true;
    await sleep(RETRY_MS);
  }
}

function tryMakeFolder(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new SetupError(
      `${folder} can not be made (${error.code}); make this folder writable for your user.`,
    );
  }
}

/** Two that wait may both see an abandoned lock: whoever moves it away checks that it is still that one. */
function takeAway(folder, holders) {
  const aside = `${folder}-${process.pid}`;
  try {
    renameSync(folder, aside);
  } catch {
    return; // someone else was faster
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
    return undefined; // not written yet, or removed meanwhile
  }
}

/** Process ids come round again, in containers at once, so the time of the start tells processes apart. */
function describeProcess(pid) {
  return { pid, startedAt: readStart(pid) };
}

function isGone({ pid, startedAt }) {
  if (startedAt !== null) return readStart(pid) !== startedAt;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** In clock ticks since the machine started; null when it has ended, or where there is no /proc. */
function readStart(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // after the name, which may hold spaces
    const hasEnded = fields[0] === 'Z'; // killed, and no one has asked how it ended: common in containers
    return hasEnded ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
