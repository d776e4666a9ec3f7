import { z } from 'zod';
import { onlyTo } from '../browser/page/requests/interception.ts';
import { fieldsOf, textField } from './common/fields.ts';
import type { Step } from './common/step.ts';

const MAX_LENGTH = 1_024;
const OBJECT_ERROR = 'must be an object with username and password';

const schema = fieldsOf('visitor', {
  http_auth: z
    .strictObject(
      {
        username: textField(MAX_LENGTH, { description: 'The name' }),
        password: textField(MAX_LENGTH, { description: 'The password' }),
      },
      { error: OBJECT_ERROR },
    )
    .meta({
      description: 'Credentials for HTTP authentication, sent only to the origin of `url`',
      example: { username: 'reader', password: 'secret' },
    })
    .optional(),
});

/** Answers HTTP authentication of the origin of `url`. */
export const httpAuth: Step<typeof schema> = {
  name: 'http-auth',
  schema,
  apply: async (page, { http_auth: credentials }, { url }) => {
    if (credentials === undefined || url === undefined) return;
    const own = onlyTo(url);
    await page.intercept({
      patterns: own.patterns,
      // Checks the origin of the challenge and of the request, so that neither a proxy nor another server gets the
      // password.
      onChallenge: ({ request, authChallenge }) =>
        own.includes(request.url) && own.includes(authChallenge.origin) && authChallenge.source === 'Server'
          ? credentials
          : undefined,
    });
  },
};
