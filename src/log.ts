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
];

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
  return options.format === 'pretty' ? pino(settings) : pino(settings, pino.destination(destination));
}
