import { describe, expect, it } from 'vitest';
import { navigationError } from '../../../src/core/capture/navigation-errors.ts';

describe('navigationError', () => {
  it.each([
    ['net::ERR_NAME_NOT_RESOLVED', 'its host name does not resolve'],
    ['net::ERR_CONNECTION_REFUSED', 'its server refuses the connection'],
    ['net::ERR_CONNECTION_TIMED_OUT', 'its server does not answer'],
    ['net::ERR_TIMED_OUT', 'its server does not answer'],
    ['net::ERR_CONNECTION_RESET', 'its server interrupted the connection'],
    ['net::ERR_CONNECTION_CLOSED', 'its server interrupted the connection'],
    ['net::ERR_EMPTY_RESPONSE', 'its server closed the connection without an answer'],
    ['net::ERR_ADDRESS_UNREACHABLE', "its server can't be reached"],
    ['net::ERR_INTERNET_DISCONNECTED', "its server can't be reached"],
    ['net::ERR_NETWORK_CHANGED', "its server can't be reached"],
    ['net::ERR_SOCKS_CONNECTION_FAILED', "its server can't be reached"],
    ['net::ERR_PROXY_CONNECTION_FAILED', "its server can't be reached"],
    ['net::ERR_TOO_MANY_REDIRECTS', 'it redirects in a loop'],
    ['net::ERR_UNSAFE_REDIRECT', 'it redirects to something that is not a web page'],
    ['net::ERR_UNKNOWN_URL_SCHEME', 'it redirects to something that is not a web page'],
    ['net::ERR_UNSAFE_PORT', 'browsers block its port'],
    ['net::ERR_CERT_DATE_INVALID', 'its TLS certificate or handshake is invalid'],
    ['net::ERR_SSL_PROTOCOL_ERROR', 'its TLS certificate or handshake is invalid'],
    ['net::ERR_BAD_SSL_CLIENT_AUTH_CERT', 'its TLS certificate or handshake is invalid'],
    ['net::ERR_INVALID_HTTP_RESPONSE', 'its server sent an answer that is not valid HTTP'],
    ['net::ERR_HTTP2_PROTOCOL_ERROR', 'its server sent an answer that is not valid HTTP'],
    ['net::ERR_CONTENT_DECODING_FAILED', 'its content is not encoded as its header Content-Encoding says'],
    ['net::ERR_CONTENT_LENGTH_MISMATCH', 'its server interrupted the answer'],
    ['net::ERR_INCOMPLETE_CHUNKED_ENCODING', 'its server interrupted the answer'],
    ['net::ERR_QUIC_PROTOCOL_ERROR', 'its server sent an answer that is not valid HTTP'],
    ['net::ERR_ABORTED', 'it is a download or has no content'],
    ['net::ERR_SOMETHING_NEW', "the browser can't load it"],
  ])('has a message for %s, and keeps it as the cause', (errorText, reason) => {
    expect(navigationError(errorText)).toMatchObject({
      type: 'NavigationError',
      message: `The page could not be loaded: ${reason}`,
      cause: new Error(errorText),
    });
  });

  it.each([
    [200, 'application/pdf', 'it is a download (application/pdf), not a web page'],
    [200, 'image/svg+xml', 'it is a download (image/svg+xml), not a web page'],
    [200, '<script>/x', 'it is a download, not a web page'],
    [204, 'text/plain', 'its answer has no content'],
  ])('names what the server sent with status %d and type %s', (status, mimeType, reason) => {
    expect(navigationError('net::ERR_ABORTED', { status, mimeType, headers: {} }).message).toBe(
      `The page could not be loaded: ${reason}`,
    );
  });
});
