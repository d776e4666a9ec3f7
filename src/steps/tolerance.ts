import { ServiceError } from '../errors.ts';
import { booleanField, fieldsOf } from './common/fields.ts';
import type { Step } from './common/step.ts';

const schema = fieldsOf('page', {
  ignore_https_errors: booleanField({
    description: 'Accept certificates that are expired, self-signed or for another host',
    example: true,
  }).default(false),
  fail_on_http_error: booleanField({
    description: 'Return an error if the page answers with status 400 or above',
    example: true,
  }).default(false),
});

/** Accepts invalid certificates. */
export const certificates: Step<typeof schema> = {
  name: 'certificates',
  schema,
  apply: async (page, { ignore_https_errors: isEnabled }) => {
    if (!isEnabled) return;
    await page.send('Security.setIgnoreCertificateErrors', { ignore: true });
  },
};

/** Refuses a page with an error status. */
export const httpStatus: Step<typeof schema> = {
  name: 'http-status',
  schema,
  apply: async (page, { fail_on_http_error: isEnabled }) => {
    if (!isEnabled) return;
    const status = page.mainFrame.current()?.status;
    if (status === undefined || status < 400) return;
    throw new ServiceError('NavigationError', `The page answered with status ${status}`);
  },
};
