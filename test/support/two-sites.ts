import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';

/** Two origins with the same pages: `/show` prints the state it sees, the others are named in `PAGES`. */
export interface TwoSites extends AsyncDisposable {
  readonly origin: string;
  readonly other: string;
  /** Paths with the cookies of each request, in order. */
  readonly requests: readonly string[];
}

/** Prints what a page finds at its start. */
const SHOW = `<script>document.body.append(JSON.stringify({ storage: Object.entries(localStorage), cookie: document.cookie, flag: self.flag ?? null }));
  if (parent !== self) parent.postMessage(self.flag ?? 'none', '*');</script>`;

function pages(other: string): Readonly<Record<string, string>> {
  return {
    '/show': SHOW,
    // A token that is valid once, as log-ins rotate them.
    '/rotate': `<script>
      if (localStorage.token === 'first') { localStorage.token = 'second'; location.reload(); }
      else document.body.append('token ' + localStorage.token);
    </script>`,
    '/frames': `<script>
      onmessage = ({ origin, data }) => document.body.append((origin === self.origin ? 'own ' : 'other ') + data + '; ');
    </script><iframe src="/show"></iframe><iframe src="${other}/show"></iframe><p>top</p>${SHOW}`,
    '/leave': `<script>location = '${other}/show'</script>`,
    '/login': `<form><input id="name"><button>Log in</button></form><script>
      document.forms[0].onsubmit = (event) => {
        event.preventDefault();
        localStorage.token = 'token-of-' + document.querySelector('input').value;
        document.cookie = 'session=cookie-of-visitor; path=/';
        location = '/show';
      };
    </script>`,
    '/partner': `<iframe src="${other}/keep"></iframe>`,
    '/keep': `<script>localStorage.kept = 'by the frame'</script>kept`,
    '/log': `<script>for (const [, value] of Object.entries(localStorage)) console.log('stored', value, document.cookie)</script>`,
  };
}

/** Starts both sites. The caller disposes of them. */
export async function startTwoSites(): Promise<TwoSites> {
  const requests: string[] = [];
  let other = '';
  const start = async (): Promise<Server> => {
    const server = createServer((request: IncomingMessage, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost');
      requests.push(`${request.headers.host ?? ''}${pathname} ${request.headers.cookie ?? ''}`.trim());
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(`<!doctype html><html lang="en"><title>Site</title><body>${pages(other)[pathname] ?? ''}`);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return server;
  };
  const servers = [await start(), await start()];
  const [origin = '', second = ''] = servers.map((server) => {
    const address = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });
  other = second;
  return {
    origin,
    other,
    requests,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(servers.map(async (server) => void (await once(server.close(), 'close'))));
    },
  };
}
