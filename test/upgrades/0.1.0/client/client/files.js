/**
 * Encodes the body of a request. Bytes are sent as parts of a multipart body, which is smaller than base64 and has its own size limit.
 * @param place returns the body around the fields of the capture
 */
export function encodeRequest(fields, place) {
    const { files = {}, ...others } = fields;
    if (Object.values(files).every((content) => typeof content === 'string')) {
        return { body: JSON.stringify(place(fields)), contentType: 'application/json' };
    }
    const body = new FormData();
    body.append('request', JSON.stringify(place(others)));
    for (const [name, content] of Object.entries(files)) {
        const bytes = typeof content === 'string' ? fromBase64(content) : new Uint8Array(content);
        body.append(name, new Blob([bytes]), name);
    }
    return { body };
}
function fromBase64(text) {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
