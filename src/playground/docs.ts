import { serviceUrl } from './service.ts';

/** What `viewer/swagger-ui-bundle.js` leaves behind; it is loaded before. */
declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => unknown;

const dark = matchMedia('(prefers-color-scheme: dark)');
const followTheme = (): void => {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
};
dark.addEventListener('change', followTheme);
followTheme();

SwaggerUIBundle({
  url: serviceUrl('openapi.json'),
  domNode: document.getElementById('viewer'),
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // To try things there is the playground, which keeps the token to itself.
  supportedSubmitMethods: [],
  // A badge from another server otherwise.
  validatorUrl: null,
});
