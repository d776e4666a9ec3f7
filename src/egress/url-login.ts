/** A name and a password, as they are sent. */
export interface Login {
  readonly username: string;
  readonly password: string;
}

/** What stands before the `@` of an address; undefined where nothing does, `malformed` where a `%` there begins no character. */
export function readLogin({
  username,
  password,
}: Pick<URL, 'username' | 'password'>): Login | undefined | 'malformed' {
  if (username === '' && password === '') return undefined;
  try {
    return { username: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return 'malformed';
  }
}
