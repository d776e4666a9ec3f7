import { UnexpectedAnswerError } from './capture-error.js';
const STATES = new Set(['queued', 'running', 'done', 'failed', 'cancelled']);
/**
 * Parses a job from the body of an answer.
 * @throws UnexpectedAnswerError if it is none
 */
export async function readJob(response) {
    const body = asObject(await response.json().catch(() => undefined));
    const { id, state, attempts } = body;
    if (typeof id !== 'string' || !isState(state))
        throw new UnexpectedAnswerError(response.status, {});
    const error = asObject(body['error']);
    return {
        id,
        state,
        createdAt: asText(body['created_at']) ?? '',
        startedAt: asText(body['started_at']),
        finishedAt: asText(body['finished_at']),
        attempts: typeof attempts === 'number' ? attempts : 0,
        url: asText(asObject(body['result'])['url']),
        error: body['error'] === undefined
            ? undefined
            : { errorType: asText(error['error_type']) ?? '', message: asText(error['message']) ?? '' },
    };
}
/** True if the state of the job is final. */
export function hasEnded({ state }) {
    return state !== 'queued' && state !== 'running';
}
/** Random key. Not `randomUUID`, which browsers offer on https pages only. */
export function randomKey() {
    return [...crypto.getRandomValues(new Uint8Array(16))]
        .map((byte) => byte.toString(16).padStart(2, '0'))
        .join('');
}
function isState(value) {
    return STATES.has(value);
}
function asObject(value) {
    return typeof value === 'object' && value !== null ? { ...value } : {};
}
function asText(value) {
    return typeof value === 'string' ? value : undefined;
}
