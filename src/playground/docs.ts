import { byId, make, prose } from './dom.ts';
import { serviceUrl } from './send.ts';

interface Constant {
  readonly const: string;
  readonly description: string;
}

/** The parts of the OpenAPI document that this page reads itself. */
interface OpenApi {
  readonly components: {
    readonly schemas: { readonly ErrorType: { readonly oneOf: readonly Constant[] } };
    readonly headers: {
      readonly 'X-Capture-Warnings': {
        readonly schema: { readonly items: { readonly oneOf: readonly Constant[] } };
      };
    };
  };
}

/** Global variable of `viewer/swagger-ui-bundle.js`, which is loaded first. */
declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => unknown;

const dark = matchMedia('(prefers-color-scheme: dark)');
const followTheme = (): void => {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
};
dark.addEventListener('change', followTheme);
followTheme();

const answer = await fetch(serviceUrl('openapi.json'));
const openApi: OpenApi = await answer.json();

byId('errors', HTMLElement).append(...explain(openApi.components.schemas.ErrorType.oneOf));
byId('warnings', HTMLElement).append(...explain(openApi.components.headers['X-Capture-Warnings'].schema.items.oneOf));
showNamed();

SwaggerUIBundle({
  spec: openApi,
  domNode: document.getElementById('viewer'),
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // Disables requests: they are made in the playground, and this page does not have its token.
  supportedSubmitMethods: [],
  // Otherwise the viewer loads a badge from another server.
  validatorUrl: null,
});

/** Shows the explanation that the address names. */
function showNamed(): void {
  // Not the fragment, which the viewer uses.
  const named = document.getElementById(new URLSearchParams(location.search).get('about') ?? '');
  const explanations = byId('explanations', HTMLDetailsElement);
  if (named === null || !explanations.contains(named)) return;
  explanations.open = true;
  named.classList.add('is-named');
  named.scrollIntoView({ block: 'center' });
}

function explain(constants: readonly Constant[]): HTMLElement[] {
  return constants.map(({ const: name, description }) =>
    make('div', { id: name }, make('dt', {}, make('code', {}, name)), make('dd', {}, ...prose(description))),
  );
}
