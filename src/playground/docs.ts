import { serviceUrl } from './service.ts';

/** Global variable of `viewer/swagger-ui-bundle.js`, which is loaded first. */
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
  // Disables requests: they are made in the playground, and this page does not have its token.
  supportedSubmitMethods: [],
  // Otherwise the viewer loads a badge from another server.
  validatorUrl: null,
});
