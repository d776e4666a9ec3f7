/** User name and password, decoded. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** Returns the login in a URL. Undefined if there is none, `malformed` if it contains an invalid percent-encoding. */
export function readLogin({ username, password }: Pick<URL, 'username' | 'password'>): Login | undefined | 'malformed' {
  if (username === '' && password === '') return undefined;
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return 'malformed';
  }
}

/** Returns the address without its login. */
export function withoutLogin(address: string): string {
  const url = address.includes('@') ? URL.parse(address) : null;
  if (url === null || (url.username === '' && url.password === '')) return address;
  return Object.assign(url, { username: '', password: '' }).href;
}
