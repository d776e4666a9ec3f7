import { ClientTimeoutError, ConnectionError } from './capture-error.js';
import { readFacts } from './capture-facts.js';
import { encodeRequest } from './files.js';
import { readError } from './read-error.js';
import { randomKey, readJob } from './jobs.js';
import { withRetries } from './retry.js';
import { captureAddress, jobsAddress } from './service-address.js';
import { untilEnded } from './until-ended.js';
const DEFAULT_TIMEOUT_MS = 120_000; // the service gives up after 90 s
const DEFAULT_RETRIES = 3;
const DEFAULT_MAX_RETRY_DELAY_MS = 30_000;
/** Creates a client for the service at an address. Works wherever `fetch` exists: Node, Bun, Deno and browsers. */
export function createCaptureClient(options) {
    const address = captureAddress(options.service);
    const send = options.fetch ?? globalThis.fetch;
    const request = async (sent, call, signal) => {
        const encoded = sent.encode?.();
        const response = await send(sent.address, {
            method: sent.method,
            headers: headersOf(sent, call, { token: options.token, contentType: encoded?.contentType }),
            ...(encoded !== undefined && { body: encoded.body }),
            signal,
        });
        if (!response.ok)
            throw await readError(response);
        return response;
    };
    /** Runs a call with its time limit and retries, and converts its errors. */
    const run = async (sent, call, read) => {
        const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
        const timeout = AbortSignal.timeout(timeoutMs);
        const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
        const attempt = async () => {
            try {
                return await read(await request(sent, call, signal));
            }
            catch (error) {
                // `fetch` and bodies reject with a TypeError if there is no connection, or it broke.
                throw error instanceof TypeError ? new ConnectionError(address.origin, error) : error;
            }
        };
        try {
            return await withRetries(attempt, {
                retries: options.retries ?? DEFAULT_RETRIES,
                maxDelayMs: options.maxRetryDelayMs ?? DEFAULT_MAX_RETRY_DELAY_MS,
                signal,
            });
        }
        catch (error) {
            call.signal?.throwIfAborted();
            throw timeout.aborted ? new ClientTimeoutError(timeoutMs, error) : error;
        }
    };
    function capture(fields, call = {}) {
        return run(captureOf(address, fields), call, async (response) => {
            const bytes = new Uint8Array(await response.arrayBuffer());
            const result = { ...readFacts(response.headers), bytes };
            if (fields.response_type !== 'json')
                return result;
            const data = JSON.parse(new TextDecoder().decode(bytes));
            return { ...result, data };
        });
    }
    const get = (below) => ({ address: jobsAddress(address, below), method: 'GET' });
    return {
        capture,
        submit: (fields, { webhookUrl, storePath, idempotencyKey = randomKey(), ...call } = {}) => {
            const job = { webhook_url: webhookUrl, store_path: storePath };
            const headers = { 'idempotency-key': idempotencyKey };
            return run({ ...submissionOf(address, fields, job), headers }, call, readJob);
        },
        job: (id, call = {}) => run(get(`/${id}`), call, readJob),
        cancel: (id, call = {}) => run({ ...get(`/${id}`), method: 'DELETE' }, call, readJob),
        wait: async (id, { timeoutMs, signal: given, requestId } = {}) => {
            const timeout = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
            const signal = AbortSignal.any([given, timeout].filter((each) => each !== undefined));
            try {
                await untilEnded(() => run(get(`/${id}`), { signal, requestId }, readJob), signal);
                return await run(get(`/${id}/result`), { signal, requestId }, readResult);
            }
            catch (error) {
                given?.throwIfAborted();
                throw timeout?.aborted === true ? new ClientTimeoutError(timeoutMs ?? 0, error) : error;
            }
        },
        captureStream: (fields, call = {}) => run(captureOf(address, fields), call, async (response) => ({
            ...readFacts(response.headers),
            stream: response.body ?? new ReadableStream({ start: (controller) => controller.close() }),
        })),
    };
}
function captureOf(address, fields) {
    return { address, method: 'POST', encode: () => encodeRequest(fields, (body) => body) };
}
function submissionOf(address, fields, job) {
    const encode = () => encodeRequest(fields, (capture) => ({ capture, ...job }));
    return { address: jobsAddress(address), method: 'POST', encode };
}
function headersOf({ headers }, { requestId }, { token, contentType }) {
    return {
        ...(contentType !== undefined && { 'content-type': contentType }),
        ...headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(requestId !== undefined && { 'x-request-id': requestId }),
    };
}
async function readResult(response) {
    return { ...readFacts(response.headers), bytes: new Uint8Array(await response.arrayBuffer()) };
}
