import { ServiceError } from '../ground/errors.ts';
import { booleanField, fieldsOf } from './common/fields.ts';
import { hasStatus, statusesField } from './common/statuses.ts';
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
  fail_on_status: statusesField({
    description: 'Return an error if the page answers with one of these statuses. `5xx` means 500 to 599',
    example: ['404', '5xx'],
  }),
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

/** Refuses a page with an error status, or with a status that the request names. */
export const httpStatus: Step<typeof schema> = {
  name: 'http-status',
  schema,
  apply: async (page, { fail_on_http_error: failsOnError, fail_on_status: statuses = [] }) => {
    const status = page.mainFrame.current()?.status;
    if (status === undefined) return;
    const message = `The page answered with status ${status}`;
    if (hasStatus(statuses, status)) throw new ServiceError('PageStatusError', message);
    if (failsOnError && status >= 400) throw new ServiceError('NavigationError', message);
  },
};
