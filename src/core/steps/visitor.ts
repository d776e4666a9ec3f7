import type { CDPSession } from 'puppeteer';
import { z } from 'zod';
import { isUserAgent, USER_AGENT_FORM } from '../browser/identity.ts';
import { acceptLanguage, canonicalTimeZone, isLocale, isTimeZone } from '../browser/locale.ts';
import { acceptedValue, booleanField, fieldsOf } from './common/fields.ts';
import { device, findDevice, identityOfDevice } from './device.ts';
import { viewport } from './viewport.ts';
import type { Page } from '../browser/page/page.ts';
import type { Step } from './common/step.ts';

const USER_AGENT_ERROR = `must be ${USER_AGENT_FORM}`;
const LOCALE_ERROR = 'must be a language tag (BCP 47), for example de-CH';
const TIMEZONE_ERROR = 'must be a time zone of the IANA database, for example Europe/Zurich';

const schema = fieldsOf('visitor', {
  user_agent: z
    .string({ error: USER_AGENT_ERROR })
    .refine(isUserAgent, { error: USER_AGENT_ERROR })
    .meta({
      description: 'User-Agent header and `navigator.userAgent`. Unset: DEFAULT_USER_AGENT',
      example: 'Mozilla/5.0 (compatible; ExampleBot/1.0)',
    })
    .optional(),
  locale: z
    .string({ error: LOCALE_ERROR })
    .refine(isLocale, { error: LOCALE_ERROR })
    .meta({
      description:
        "Language of the page's visitor: Accept-Language header, `navigator.language`, dates, numbers. Unset: DEFAULT_LOCALE",
      example: 'de-CH',
      accepts: 'language tag (BCP 47)',
    })
    .optional(),
  timezone: z
    .string({ error: TIMEZONE_ERROR })
    .refine(isTimeZone, { error: TIMEZONE_ERROR })
    .meta({
      description: "Time zone of the page's visitor. Unset: DEFAULT_TIMEZONE",
      example: 'Europe/Zurich',
      accepts: 'time zone (IANA)',
    })
    .optional(),
  has_touch: booleanField({
    description: 'Emulate a touch screen beside the mouse. Phones (`is_mobile`) have one instead',
    example: true,
  }).default(false),
  javascript: booleanField({
    description: 'Run the scripts of the page',
    example: false,
  }).default(true),
})
  .extend(device.schema.shape)
  .extend(viewport.schema.pick({ is_mobile: true }).shape);

type VisitorOptions = z.output<typeof schema>;

type Call = (session: CDPSession) => Promise<void>;

/** Sets user agent, language and time zone. */
export const visitor: Step<typeof schema> = {
  name: 'visitor',
  schema,
  apply: async (page, options) => {
    const identity = identityCall(page, options);
    const calls = listCalls(options, identity);
    if (calls.length === 0) return;
    const toSessions = page.onSession(async (session) => {
      const applied = Promise.all(calls.map((call) => call(session)));
      // A frame may share its process with others, where Chrome refuses to set process-wide values twice.
      await (session === page.session ? applied : applied.catch(() => undefined));
    });
    const hasHints = !lacksHints(options);
    // Locale and time zone of a process apply to its workers as well; the user agent does not.
    await Promise.all([
      toSessions,
      identity && page.onWorker(identity),
      ...(hasHints ? [] : [page.onSession(removeHints), page.onWorker(removeHintsOfWorker)]),
    ]);
  },
};

/** True for a device whose browser has no client hints. */
function lacksHints({ user_agent: userAgent, device: name }: VisitorOptions): boolean {
  const emulated = findDevice(name);
  if (emulated === undefined || emulated.user_agent !== userAgent) return false;
  return identityOfDevice(emulated).userAgentMetadata === undefined;
}

/** Chrome would show an empty list of brands. It sends no headers then. */
const WITHOUT_HINTS =
  'delete globalThis.NavigatorUAData; delete (globalThis.Navigator ?? globalThis.WorkerNavigator).prototype.userAgentData';
const removeHints: Call = async (session) => {
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: WITHOUT_HINTS });
};
/** The emulation of the protocol would take the mouse away, and `(hover: hover)` with it. */
const WITH_TOUCH =
  "Object.defineProperty(Navigator.prototype, 'maxTouchPoints', { get: () => 5, configurable: true, enumerable: true }); globalThis.ontouchstart = null";
const addTouchScreen: Call = async (session) => {
  await session.send('Page.addScriptToEvaluateOnNewDocument', { source: WITH_TOUCH });
};
const removeHintsOfWorker: Call = async (session) => {
  await session.send('Runtime.evaluate', { expression: WITHOUT_HINTS });
};

/** Returns the call for values that workers need as well. Undefined if the request sets none. */
function identityCall(page: Page, { user_agent: userAgent, locale, device: name }: VisitorOptions): Call | undefined {
  if (userAgent === undefined && locale === undefined) return undefined;
  const languages = locale === undefined ? {} : { acceptLanguage: acceptLanguage(locale) };
  const emulated = findDevice(name);
  // With a `user_agent` of the request, the browser is not that of the device.
  const isDevice = emulated !== undefined && emulated.user_agent === userAgent;
  const named = userAgent === undefined ? page.identity : { userAgent };
  const identity = { ...(isDevice ? identityOfDevice(emulated) : named), ...languages };
  const field = userAgent === undefined ? 'locale' : 'user_agent';
  return (session) => acceptedValue(field, session.send('Emulation.setUserAgentOverride', identity));
}

function listCalls(options: VisitorOptions, identity: Call | undefined): readonly Call[] {
  const { locale, timezone, is_mobile: isMobile, has_touch: hasTouch, javascript } = options;
  const calls: Call[] = identity === undefined ? [] : [identity];
  if (locale !== undefined) {
    calls.push((session) => acceptedValue('locale', session.send('Emulation.setLocaleOverride', { locale })));
  }
  if (timezone !== undefined) {
    const timezoneId = canonicalTimeZone(timezone);
    calls.push((session) => acceptedValue('timezone', session.send('Emulation.setTimezoneOverride', { timezoneId })));
  }
  if (isMobile) {
    calls.push((session) => session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 5 }));
  } else if (hasTouch) {
    calls.push(addTouchScreen);
  }
  if (!javascript) {
    calls.push((session) => session.send('Emulation.setScriptExecutionDisabled', { value: true }));
  }
  return calls;
}
