import pino from 'pino';

export type { Logger } from 'pino';

/** Fields that may carry a secret, wherever they stand in a log line. */
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
  '*.html_content',
  'custom_headers',
  '*.custom_headers',
  'cookies',
  '*.cookies',
  'http_auth',
  '*.http_auth',
  'actions',
  '*.actions',
];

/**
 * Lines are written together: one write for each costs as much as anything else in a refusal, or in an answer from the cache
 * (2026-11-21). A process that exits writes the rest; one that is killed takes the last 50 ms along.
 */
const TOGETHER = { sync: false, minLength: 16_000, periodicFlush: 50 } as const;

/** Of lines that nobody reads: then the next are dropped, rather than that captures wait or memory runs out. */
const MAX_BUFFERED_BYTES = 4 * 1024 ** 2;

/**
 * The process' logger, writing to standard output unless told otherwise: JSON lines, or coloured text for a terminal.
 * The caller need not close it.
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
  const log = pino(settings, lines);
  tellOfLoss(lines, log);
  return log;
}

function tellOfLoss(lines: ReturnType<typeof pino.destination>, log: pino.Logger): void {
  let dropped = 0;
  lines.on('drop', () => {
    dropped++;
  });
  lines.on('drain', () => {
    if (dropped > 0) log.warn({ lines: dropped }, 'lines of this log were dropped, as nobody read it');
    dropped = 0;
  });
  lines.once('error', (error) => {
    process.stderr.write(`The log can not be written: ${String(error)}\n`);
    lines.on('error', () => undefined); // a full disk is no reason to stop capturing
    lines.flushSync = () => undefined; // at the exit, it would be tried again for ever
  });
}
