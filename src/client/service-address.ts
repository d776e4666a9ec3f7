/**
 * The address of `/capture` of a service, which may lie below a path. A signed link is taken as it is: one without fields lets its
 * holder capture.
 * @throws TypeError for what is no http or https address
 */
export function captureAddress(service: string | URL): URL {
  const base = URL.canParse(service) ? new URL(service) : undefined;
  if (base?.protocol !== 'http:' && base?.protocol !== 'https:') {
    throw new TypeError(`"${service}" is not the address of a service, such as http://127.0.0.1:8080`);
  }
  const path = base.pathname.replace(/\/+$/, '');
  base.pathname = path.endsWith('/capture') ? path : `${path}/capture`;
  return base;
}

/** The address of `/jobs` beside such a `/capture`, or of what is below it. */
export function jobsAddress(capture: URL, below = ''): URL {
  const address = new URL(capture);
  address.pathname = `${capture.pathname.replace(/capture$/, 'jobs')}${below}`;
  address.search = ''; // a signed link is for captures
  return address;
}
