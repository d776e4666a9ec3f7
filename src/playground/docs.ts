import { serviceUrl } from './service.ts';

/** Global of `viewer/swagger-ui-bundle.js`, which is loaded before. */
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
  // Requests are made in the playground, which does not share its token.
  supportedSubmitMethods: [],
  // Otherwise a badge is loaded from another server.
  validatorUrl: null,
});
