import { USUAL_LOCALE } from './browser/locale.ts';
import { SENSITIVE_FIELDS } from './capture/request/sensitive-fields.ts';
import { PROXY_FORM } from './egress/proxy-setting.ts';
import { RULE_FORM } from './egress/rules.ts';
import { RATE_FORM } from './rate-limit/rate.ts';

/** One environment variable, as the documentation and the error messages describe it. */
export interface Setting {
  readonly name: SettingName;
  /** The value used when the variable is unset; with `defaultIsProse`, words about it. */
  readonly defaultText: string;
  readonly defaultIsProse?: boolean;
  /** What is accepted; reads on from "Set it to". */
  readonly form: string;
  /** One line for the documentation. */
  readonly meaning: string;
  /** Its value never appears in a message. */
  readonly secret?: boolean;
}

/** The name of an environment variable that the service reads. */
export type SettingName = (typeof TABLE)[number]['name'];

const TABLE = [
  {
    name: 'HOST',
    defaultText: '127.0.0.1',
    form: 'an IP address or a host name, without port and brackets',
    meaning: 'Listen address; the container image sets 0.0.0.0',
  },
  {
    name: 'PORT',
    defaultText: '8080',
    form: 'a whole number from 0 to 65535',
    meaning: 'Listen port; 0 picks a free one and logs it',
  },
  {
    name: 'AUTH_TOKEN',
    defaultText: 'unset',
    defaultIsProse: true,
    form: 'visible ASCII characters without spaces, for example 64 random hex digits',
    meaning: 'Bearer token of /capture and /sign; unset switches authentication off',
    secret: true,
  },
  {
    name: 'URL_SIGNING_SECRET',
    defaultText: 'unset',
    defaultIsProse: true,
    form: 'any text that neither starts nor ends with white space, for example 64 random hex digits',
    meaning: 'Secret key of signed URLs, not the same as AUTH_TOKEN; unset switches signed URLs off',
    secret: true,
  },
  {
    name: 'SIGNED_URL_ALLOW',
    defaultText: 'unset',
    defaultIsProse: true,
    form: `a comma-separated list of ${SENSITIVE_FIELDS.join(', ')}`,
    meaning: 'Fields that carry secrets or code and are accepted in a signed URL all the same',
  },
  {
    name: 'RATE_LIMIT_ENABLED',
    defaultText: 'true',
    form: 'true or false',
    meaning: 'Whether requests to /capture and /sign are limited for each client address',
  },
  {
    name: 'RATE_LIMIT_CAPTURE',
    defaultText: '5 per second',
    form: RATE_FORM,
    meaning: 'Limit of requests to /capture and /sign',
  },
  {
    name: 'RATE_LIMIT_SIGNED',
    defaultText: '10 per second',
    form: RATE_FORM,
    meaning: 'Limit of requests to /capture that carry a signature',
  },
  {
    name: 'REDIS_URL',
    defaultText: 'unset',
    defaultIsProse: true,
    form: 'redis://[[user]:password@]host[:port][/database], or rediss:// for TLS',
    meaning: 'Redis in which several instances share their limits and their cache; unset: each has its own',
    secret: true,
  },
  {
    name: 'TRUST_PROXY',
    defaultText: 'false',
    form: 'false, the number of proxies in front (1 to 32), or a comma-separated list of their IP addresses and CIDR ranges',
    meaning:
      'Proxies whose X-Forwarded headers are believed: the address of the client, and the host and scheme of a signed link',
  },
  {
    name: 'POOL_SIZE',
    defaultText: '2 x cores, at least 2, at most 16',
    defaultIsProse: true,
    form: 'a whole number from 1 to 256',
    meaning: 'Pages that capture at once; one more for a client that comes while another has all of them',
  },
  {
    name: 'MAX_QUEUE',
    defaultText: '64',
    form: 'a whole number from 0 to 100000',
    meaning:
      'Requests that may wait for a page; one more is answered 503. One client may have half of them waiting',
  },
  {
    name: 'MAX_WAIT_MS',
    defaultText: '60000',
    form: 'a whole number from 1 to 3600000',
    meaning: 'Largest wait_for_timeout a request may ask for, in milliseconds',
  },
  {
    name: 'CAPTURE_TIMEOUT_MS',
    defaultText: '90000',
    form: 'a whole number from 1 to 3600000',
    meaning: 'Time for a whole request, waiting for a page included, in milliseconds',
  },
  {
    name: 'MAX_BODY_BYTES',
    defaultText: '10485760',
    form: 'a whole number from 1 to 268435456',
    meaning: 'Largest request body, in bytes',
  },
  {
    name: 'MAX_PIXELS',
    defaultText: '100000000',
    form: 'a whole number from 1 to 1000000000',
    meaning: 'Largest picture, in device pixels',
  },
  {
    name: 'MAX_RESULT_BYTES',
    defaultText: '104857600',
    form: 'a whole number from 1 to 1073741824',
    meaning: 'Largest picture or document, in bytes',
  },
  {
    name: 'CACHE_TTL',
    defaultText: '0',
    form: 'a whole number from 0 to 2592000',
    meaning: 'How long answers are kept for requests without cache_ttl, in seconds; 0: not at all',
  },
  {
    name: 'CACHE_MAX_BYTES',
    defaultText: '104857600',
    form: 'a whole number from 0 to 1099511627776',
    meaning:
      'Memory for answers that are kept, in bytes; beyond it, those not asked for longest are dropped. With REDIS_URL they are kept there, and here only while it is away; 0: nowhere',
  },
  {
    name: 'BROWSER_EXECUTABLE',
    defaultText: 'found by itself',
    defaultIsProse: true,
    form: 'the path of a Chrome or Chromium executable',
    meaning: 'The Chrome or Chromium to run',
  },
  {
    name: 'BROWSER_SANDBOX',
    defaultText: 'auto',
    form: 'auto, true or false',
    meaning:
      'Sandbox of the browser; auto: on wherever this machine lets it start, else off with a warning that says why; true: nothing is captured without it',
  },
  {
    name: 'BROWSER_RECYCLE_AFTER',
    defaultText: '1000',
    form: 'a whole number from 1 to 1000000000',
    meaning: 'Captures after which a new browser takes over',
  },
  {
    name: 'DEFAULT_LOCALE',
    defaultText: USUAL_LOCALE,
    form: 'a language tag (BCP 47) without variants, for example de-CH',
    meaning: 'Language of the visitor where a request has no locale, whatever LANG and LC_ALL say',
  },
  {
    name: 'DEFAULT_TIMEZONE',
    defaultText: "the machine's",
    defaultIsProse: true,
    form: 'a time zone of the IANA database, for example Europe/Zurich',
    meaning: 'Time zone of the visitor where a request has no timezone',
  },
  {
    name: 'EGRESS_ALLOW',
    defaultText: 'unset',
    defaultIsProse: true,
    form: RULE_FORM,
    meaning: 'What pages may reach although it is private',
  },
  {
    name: 'EGRESS_DENY',
    defaultText: 'unset',
    defaultIsProse: true,
    form: RULE_FORM,
    meaning: 'What pages may never reach; wins over EGRESS_ALLOW',
  },
  {
    name: 'EGRESS_PROXY',
    defaultText: 'unset',
    defaultIsProse: true,
    form: PROXY_FORM,
    meaning:
      'Proxy that pages go out through, to what EGRESS_ALLOW and EGRESS_DENY let them; unset: directly',
    secret: true,
  },
  {
    name: 'NO_PROXY',
    defaultText: 'unset',
    defaultIsProse: true,
    form: 'a comma-separated list of host names (with all below them), .suffix, IP addresses and CIDR ranges, or *',
    meaning: 'What is reached without EGRESS_PROXY',
  },
  {
    name: 'EGRESS_NAT_PREFIXES',
    defaultText: 'unset',
    defaultIsProse: true,
    form: 'a comma-separated list of IPv6 prefixes of 32, 40, 48, 56, 64 or 96 bits such as 2001:db8:64::/96',
    meaning:
      "This network's own NAT64 prefixes, beside 64:ff9b::/96: an address under one is judged as the IPv4 address that it stands for",
  },
  {
    name: 'CORS_ORIGINS',
    defaultText: 'unset',
    defaultIsProse: true,
    form: 'a comma-separated list of exact origins such as https://app.example.com, without path and without *',
    meaning: 'Origins whose pages may call the service from a browser',
  },
  {
    name: 'ALLOWED_HOSTS',
    defaultText: 'unset',
    defaultIsProse: true,
    form: 'a comma-separated list of host names such as captures.example.com, without scheme and port',
    meaning:
      'Names by which the service may be addressed, beside IP addresses, names without a dot and HOST; unset: no others without AUTH_TOKEN, any with it',
  },
  {
    name: 'PLAYGROUND',
    defaultText: 'true',
    form: 'true or false',
    meaning: 'Whether / has the playground and /docs the reference',
  },
  {
    name: 'METRICS_PORT',
    defaultText: 'unset',
    defaultIsProse: true,
    form: 'a whole number from 0 to 65535',
    meaning:
      'Listen port of /metrics, without authentication; unset: it is on PORT, with AUTH_TOKEN if there is one',
  },
  {
    name: 'SHUTDOWN_DELAY_MS',
    defaultText: '0',
    form: 'a whole number from 0 to 3600000',
    meaning:
      'How long captures are still accepted after SIGTERM while /health/ready already answers 503, in milliseconds: the time that a load balancer needs to see it',
  },
  {
    name: 'SHUTDOWN_GRACE_MS',
    defaultText: '25000',
    form: 'a whole number from 0 to 3600000',
    meaning: 'How long running captures may finish after SIGTERM and SHUTDOWN_DELAY_MS, in milliseconds',
  },
  {
    name: 'LOG_LEVEL',
    defaultText: 'info',
    form: 'fatal, error, warn, info, debug, trace or silent',
    meaning: 'Least important level that is logged',
  },
  {
    name: 'LOG_FORMAT',
    defaultText: 'pretty on a terminal, else json',
    defaultIsProse: true,
    form: 'pretty or json',
    meaning: 'How log lines look',
  },
] as const satisfies readonly (Omit<Setting, 'name'> & { name: string })[];

/** Every setting, in the order of the documentation. */
export const SETTINGS: readonly Setting[] = TABLE;
