import pino from 'pino';

export type { Logger } from 'pino';

/** Fields that may contain a secret, at any place in a log line. */
const REDACTED = [
  'authorization',
  'cookie',
  'signature',
  '*.authorization',
  '*.cookie',
  '*.signature',
  'req.headers.authorization',
  'req.headers.cookie',
  'html_content',
  'markdown_content',
  '*.html_content',
  '*.markdown_content',
  '*.files',
  'custom_headers',
  '*.custom_headers',
  'cookies',
  '*.cookies',
  'storage_state',
  '*.storage_state',
  'init_script',
  '*.init_script',
  'http_auth',
  'pdf_password',
  '*.pdf_password',
  'pdf_owner_password',
  '*.pdf_owner_password',
  '*.http_auth',
  'actions',
  '*.actions',
];

/**
 * Buffers log lines, because writing each line would take most of the time of refusals and cached answers (2026-11-21).
 * An exiting process writes the rest; a killed process loses the last 50 ms.
 */
const TOGETHER = { sync: false, minLength: 16_000 } as const;
const FLUSH_AFTER_MS = 50;

/**
 * Maximum size of unread lines. Above it, new lines are dropped, so that captures don't wait and memory does not run
 * out.
 */
const MAX_BUFFERED_BYTES = 4 * 1024 ** 2;

/**
 * Creates the logger of the process, which writes JSON lines, or coloured text on a terminal. Default: standard output.
 * Needs no closing.
 */
export function createLog(options: {
  readonly level: string;
  readonly format: 'pretty' | 'json';
  readonly toStandardError?: boolean;
}): pino.Logger {
  const destination = options.toStandardError === true ? 2 : 1;
  const settings: pino.LoggerOptions = {
    level: options.level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: REDACTED, censor: '[redacted]' },
    ...(options.format === 'pretty' && {
      transport: {
        target: 'pino-pretty',
        options: {
          translateTime: 'SYS:HH:MM:ss',
          ignore: 'level',
          customColors: 'warn:yellow,error:red',
          destination,
        },
      },
    }),
  };
  if (options.format === 'pretty') return pino(settings);
  const lines = pino.destination({ dest: destination, ...TOGETHER, maxLength: MAX_BUFFERED_BYTES });
  flushSoon(lines);
  const log = pino(settings, lines);
  reportLoss(lines, log);
  return log;
}

/**
 * Returns a function that calls its argument at most once a minute, so that something that fails all the time does not
 * fill the log.
 */
export function createThrottle(everyMs = 60_000): (report: () => void) => void {
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return (report) => {
    if (performance.now() - reportedAtMs < everyMs) return;
    reportedAtMs = performance.now();
    report();
  };
}

/** Writes each line within 50 ms. The stream's own timer would wake an idle service twenty times a second. */
function flushSoon(lines: ReturnType<typeof pino.destination>): void {
  const write = lines.write.bind(lines);
  let timer: NodeJS.Timeout | undefined;
  lines.write = (text) => {
    timer ??= setTimeout(() => {
      timer = undefined;
      if (Reflect.get(lines, 'destroyed') !== true) lines.flush(); // it would throw
    }, FLUSH_AFTER_MS).unref();
    return write(text);
  };
}

function reportLoss(lines: ReturnType<typeof pino.destination>, log: pino.Logger): void {
  let dropped = 0;
  lines.on('drop', () => {
    dropped++;
  });
  lines.on('drain', () => {
    if (dropped > 0) log.warn({ lines: dropped }, 'log lines were dropped: the log reader is too slow');
    dropped = 0;
  });
  lines.once('error', (error) => {
    process.stderr.write(`The log can't be written: ${String(error)}\n`);
    lines.on('error', () => undefined); // a full disk must not stop captures
    lines.flushSync = () => undefined; // at exit, the stream would retry endlessly
  });
}
