import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import tls from 'node:tls'; // not by names: older versions of Node 24 lack two of them
import { errorCode } from '../../ground/errors.ts';

const MAX_BYTES = 4_194_304; // the bundles of distributions have 0.25 MB
const [BEGIN, END] = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----'];

/** EXTRA_CA_FILE cannot be read, or has no valid certificate. The message is for the operator. */
export class AuthorityProblem extends Error {
  override readonly name = 'AuthorityProblem';
}

/**
 * Reads the certificate authorities of a PEM file.
 * @throws AuthorityProblem if there are none, or if a certificate is not one of an authority
 */
export function readAuthorities(path: string): readonly X509Certificate[] {
  if (!('setDefaultCACertificates' in tls)) throw new AuthorityProblem('it needs Node 24.5 or newer');
  const text = readFile(path);
  if (text.includes('PRIVATE KEY-----')) throw new AuthorityProblem('it has a private key');
  const blocks = text.split(BEGIN).slice(1);
  if (blocks.length === 0) throw new AuthorityProblem('it has no certificate in PEM');
  const authorities = blocks.map((block, index) => readAuthority(block, `certificate ${index + 1}`));
  if (authorities.every(({ validToDate }) => validToDate.getTime() < Date.now())) {
    throw new AuthorityProblem('all its certificates have expired');
  }
  return authorities;
}

function readFile(path: string): string {
  try {
    const found = statSync(path);
    if (!found.isFile()) throw new AuthorityProblem('it is not a file'); // reading a pipe would wait for ever
    if (found.size > MAX_BYTES) throw new AuthorityProblem(`it is larger than ${MAX_BYTES} bytes`);
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (error instanceof AuthorityProblem) throw error;
    throw new AuthorityProblem(`it can't be read (${errorCode(error) ?? 'unknown error'})`);
  }
}

function readAuthority(block: string, name: string): X509Certificate {
  const [base64 = '', rest] = block.split(END, 2);
  let certificate: X509Certificate;
  try {
    if (rest === undefined) throw new Error('the block has no end');
    certificate = new X509Certificate(Buffer.from(base64, 'base64'));
  } catch (error) {
    throw new AuthorityProblem(`${name} is not valid`, { cause: error });
  }
  if (certificate.ca) return certificate;
  const subject = certificate.subject.replaceAll('\n', ', ');
  throw new AuthorityProblem(`${name} (${subject}) is not of a certificate authority`);
}

/** Lets all connections of this process trust these authorities in addition: webhooks, S3, Redis and proxies. */
export function trustAuthorities(authorities: readonly X509Certificate[]): void {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...authorities.map(String)]);
}
