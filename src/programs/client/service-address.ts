/**
 * Returns the address of `/capture` of a service, which may be below a path. A signed link is returned unchanged.
 * @throws TypeError if it is no http or https address
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

/** Returns the address of another route, such as `/jobs`, for a given `/capture`. */
export function siblingAddress(capture: URL, path: string): URL {
  const address = new URL(capture);
  address.pathname = capture.pathname.replace(/\/capture$/, path);
  address.search = ''; // a signature covers captures only
  return address;
}
