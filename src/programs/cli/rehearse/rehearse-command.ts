import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { withoutLogin } from '../../../core/egress/url-login.ts';
import { makeFolders } from '../../../core/ground/make-folders.ts';
import type { CaptureClient } from '../../client/client.ts';
import type { CaptureRequest } from '../../client/capture-request.ts';
import { type Arguments, type CommandSyntax, parseArguments } from '../arguments.ts';
import { parseList } from '../capture/url-list.ts';
import type { Command, CommandContext } from '../context.ts';
import { EXIT, UsageError } from '../exit.ts';
import { writeOutput } from '../output.ts';
import { createCommandClient, requireService, SERVICE_FLAG, TOKEN_FLAG } from '../service-flags.ts';
import { readInput } from '../target.ts';
import { htmlOf, type Report } from './rehearsal-report.ts';
import { BrowserUnusableError, type RehearsedBrowser, startRehearsed } from './rehearsed-browser.ts';
import { formatOfType, type Rehearsal, type Rehearsed, rehearse } from './run-rehearsal.ts';

const DEFAULT_FOLDER = 'rehearsal';
const DAY_MS = 86_400_000;
const MOST_SHOWN = 5;

export const REHEARSE_SYNTAX: CommandSyntax = {
  name: 'rehearse',
  usage: ['<list> --with BROWSER [-o FOLDER]', '--from-jobs DAYS --with BROWSER [-o FOLDER]'],
  summary:
    'Makes captures with the present browser and with another one, and tells what differs: pages, words and their places, fonts, pixels. Exits with 1 if something has moved, or a browser fails.',
  examples: [
    'rehearse invoices.json --with /opt/chrome-next/chrome-headless-shell',
    'rehearse --from-jobs 7d --with ./node_modules/chromium-next -o report',
  ],
  flags: [
    {
      name: 'with',
      placeholder: 'BROWSER',
      description:
        'Path of the other browser: a program, or the folder of an installed package @sparticuz/chromium. The present one is that of BROWSER_EXECUTABLE, or the one that the service would find',
    },
    {
      name: 'from-jobs',
      placeholder: 'DAYS',
      description:
        'Capture the pages of the jobs of the last days, such as 7d, in place of a list. Needs --service with the token of the operator, and WEBHOOK_URLS=true there, which keeps addresses of pages. Jobs keep no other fields',
    },
    {
      name: 'output',
      short: 'o',
      placeholder: 'FOLDER',
      description: `Folder for report.json and report.html. Default: ${DEFAULT_FOLDER}`,
    },
    SERVICE_FLAG,
    TOKEN_FLAG,
    { name: 'json', description: 'Print the report as JSON to standard output' },
    { name: 'quiet', short: 'q', description: 'Print no progress to standard error' },
  ],
  fields: [],
  maxPositionals: 1,
};

/** Rehearses another browser on a list of captures. */
export const rehearseCommand: Command = async (args, context) => {
  const given = parseArguments(REHEARSE_SYNTAX, args);
  const next = given.text('with');
  if (next === undefined || next === '') throw new UsageError('The other browser is missing: name it with --with.');
  const list = await readList(given, context);
  const folder = given.text('output') ?? DEFAULT_FOLDER;
  await checkFolder(folder);
  const report = given.values['quiet'] === true ? () => undefined : context.report;
  const rehearsals: Rehearsal[] = [];
  const startedAt = new Date().toISOString();
  report(`starting two browsers for ${list.length} ${list.length === 1 ? 'capture' : 'captures'}`);
  const result = await withBrowsers(next, context, async (browsers) => {
    for await (const rehearsal of rehearse(list, browsers, context.signal)) {
      rehearsals.push(rehearsal);
      report(`${rehearsals.length}/${list.length} ${lineOf(rehearsal)}`);
    }
  });
  const whole: Report = { ...reportOf(rehearsals, startedAt), ...result };
  const json = `${JSON.stringify(whole, undefined, 2)}\n`;
  await writeOutput(join(folder, 'report.json'), Buffer.from(json), context.stdout);
  await writeOutput(join(folder, 'report.html'), Buffer.from(await htmlOf(whole, rehearsals)), context.stdout);
  if (given.values['json'] === true) context.stdout.write(json);
  if (whole.error !== undefined) context.report(`capture-service: ${whole.error}`);
  const totals = Object.entries(whole.counts).map(([outcome, count]) => `${count} ${outcome}`);
  report(`${totals.join(', ')}: ${join(folder, 'report.html')}`);
  return whole.error === undefined && whole.counts.moved + whole.counts.failed === 0 ? EXIT.ok : EXIT.failed;
};

/** @throws UsageError if nothing can be written there: the report would be lost after all captures */
async function checkFolder(folder: string): Promise<void> {
  try {
    makeFolders(folder);
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`The report can't be written to ${folder}.`, { cause: error });
  }
}

/** @throws UsageError if there is no list, or two */
async function readList(given: Arguments, context: CommandContext): Promise<readonly Rehearsed[]> {
  const [path] = given.positionals;
  const days = given.text('from-jobs');
  if ((path === undefined) === (days === undefined))
    throw new UsageError('Name a list of captures, or the days of the jobs with --from-jobs.');
  if (path === undefined) {
    const [, count] = /^(\d{1,3})d$/.exec(days ?? '') ?? [];
    if (count === undefined) throw new UsageError('--from-jobs must be a number of days, such as 7d.');
    return await readJobs(createCommandClient(requireService(given, context)), Number(count));
  }
  const captures = parseList((await readInput(path, context.stdin)).replace(/^\uFEFF/, ''), {
    fields: {},
    folder: '.',
  });
  return captures.map(({ fields }, index) => ({ name: nameOf(fields, index), fields }));
}

function nameOf({ url, template, format = 'png' }: CaptureRequest, index: number): string {
  const page = url === undefined ? undefined : withoutLogin(url);
  return `${index + 1}: ${page ?? template ?? 'html'} as ${format}`;
}

/** Returns a capture for each page and format among the jobs of the last days. */
async function readJobs(client: CaptureClient, days: number): Promise<readonly Rehearsed[]> {
  const since = Date.now() - days * DAY_MS;
  const found = new Map<string, CaptureRequest>();
  for await (const { createdAt, url, result } of client.jobs({ state: 'done' })) {
    if (Date.parse(createdAt) < since) break; // newest first
    if (url === undefined || result === undefined) continue;
    const format = formatOfType(result.contentType);
    if (format !== undefined) found.set(`${url} ${format}`, { url, format });
  }
  if (found.size > 0) return [...found.values()].map((fields, index) => ({ name: nameOf(fields, index), fields }));
  throw new UsageError(
    `No job of the last ${days} days names its page: jobs do for the token of the operator, if the service has WEBHOOK_URLS=true and the capture had a url.`,
  );
}

type Sides = Pick<Report, 'before' | 'after'> & Partial<Pick<Report, 'error'>>;

/** Starts both browsers, calls `use`, and closes them. A browser that can't be used is part of the result. */
async function withBrowsers(
  next: string,
  { environment, signal }: CommandContext,
  use: (browsers: { before: RehearsedBrowser; after: RehearsedBrowser }) => Promise<void>,
): Promise<Sides> {
  let [before, after]: (RehearsedBrowser | undefined)[] = [];
  const sides = (): Sides => ({
    before: sideOf(before, 'the present browser'),
    after: sideOf(after, next),
  });
  try {
    before = await startRehearsed(environment, undefined, signal);
    after = await startRehearsed(environment, next, signal);
    await use({ before, after });
    const crashes = await Promise.all([before, after].map(crashesOf));
    const error = crashes.filter((each) => each !== undefined).join('; ');
    return { ...sides(), ...(error !== '' && { error }) };
  } catch (error) {
    if (!(error instanceof BrowserUnusableError)) throw error;
    return { ...sides(), error: error.message };
  } finally {
    await Promise.all([before?.close(), after?.close()]);
  }
}

/** The service makes a capture again whose browser has crashed, so no capture shows it. */
async function crashesOf(browser: RehearsedBrowser): Promise<string | undefined> {
  const count = await browser.restarts();
  return count === 0 ? undefined : `${browser.version} has crashed or hung ${count} times`;
}

function sideOf(browser: RehearsedBrowser | undefined, name: string): Report['before'] {
  return browser === undefined ? { browser: name } : { browser: browser.version, peak_bytes: browser.peakBytes() };
}

function reportOf(rehearsals: readonly Rehearsal[], startedAt: string): Omit<Report, 'before' | 'after'> {
  const counts = { same: 0, moved: 0, varies: 0, failed: 0 };
  for (const { outcome } of rehearsals) counts[outcome]++;
  return {
    started_at: startedAt,
    counts,
    captures: rehearsals.map(({ files: _files, ...rehearsal }) => rehearsal),
  };
}

function lineOf({ name, outcome, findings, before }: Rehearsal): string {
  const messages = findings.length > 0 ? findings.map(({ message }) => message) : [before.error ?? ''];
  const shown = messages.slice(0, MOST_SHOWN).map((message) => `\n  ${message}`);
  const more = findings.length - MOST_SHOWN;
  return `${outcome} ${name}${outcome === 'same' ? '' : shown.join('')}${more > 0 ? `\n  and ${more} more` : ''}`;
}
