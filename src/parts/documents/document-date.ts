/** Returns a date of a document as ISO 8601. Undefined for other texts. */
export function isoOf(text: string): string | undefined {
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    zoneHour = '00',
    zoneMinute = '00',
  ] = /^D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([Zz+-])(?:(\d\d)'?(\d\d)?'?)?)?/.exec(text) ?? [];
  if (year === undefined) return undefined;
  const zone = sign === '+' || sign === '-' ? `${sign}${zoneHour}:${zoneMinute}` : 'Z';
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
}

/** Returns a date in ISO 8601 as documents write it. Undefined for other texts. */
export function pdfDateOf(text: string): string | undefined {
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone = 'Z'] =
    /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text) ?? [];
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // JavaScript takes 31 February as 3 March.
  if (year === undefined || Number.isNaN(time.getTime()) || time.getUTCDate() !== Number(day)) return undefined;
  const offset = zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}'${zone.slice(-2)}'`;
  return `D:${year}${month}${day}${hour}${minute}${second}${offset}`;
}

/** True for a date in ISO 8601, or as documents write it. */
export function isDocumentDate(text: string): boolean {
  return pdfDateOf(text) !== undefined || isoOf(text) !== undefined;
}
