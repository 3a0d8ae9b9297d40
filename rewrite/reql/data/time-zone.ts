// Time zones of TIME pseudo-types: offsets from UTC, written `+hh:mm`. Errors have no origin.

import { logicError } from '../error.ts';

/** The state of a reading of digits: the text and the offset of the next character. */
export interface DigitReader {
  readonly text: string;
  at: number;
}

/** Reads `count` digits, as the server's ISO 8601 reading does; its error texts speak of zones for texts too short. */
export function readDigits(reader: DigitReader, count: number): string {
  const from = reader.at;
  for (let i = 0; i < count; i++) {
    const char = reader.text.charAt(reader.at);
    if (char === '') {
      throw logicError(
        `Invalid time zone string \`${reader.text}\`. Valid time zones are \`+hh:mm\`, \`-hh:mm\`, \`+hhmm\`, \`-hhmm\`, \`+hh\`, \`-hh\` and \`Z\`.`,
      );
    }
    if (char < '0' || char > '9') {
      throw logicError(`Invalid date string \`${reader.text}\` (got \`${firstByte(char)}\` but expected a digit).`);
    }
    reader.at += 1;
  }
  return reader.text.slice(from, reader.at);
}

// The server shows the first byte of a character, which is no text on its own where there are more.
function firstByte(char: string): string {
  return char.charCodeAt(0) < 0x80 ? char : '\ufffd';
}

/** Steps over `char` if it is next. */
export function readOptional(reader: DigitReader, char: string): boolean {
  if (reader.text.charAt(reader.at) !== char) return false;
  reader.at += 1;
  return true;
}

/** A zone in the form `+hh:mm`. Raises QUERY_LOGIC for a text that is no zone. */
export function sanitizeTimeZone(text: string): string {
  if (text === '-00' || text === '-00:00') throw logicError(`\`${text}\` is not a valid time offset.`);
  if (text === 'Z') return '+00:00';
  const sign = text.charAt(0);
  if (sign !== '-' && sign !== '+') throw logicError(`Timezone \`${text}\` does not start with \`-\` or \`+\`.`);
  const reader: DigitReader = { text, at: 1 };
  const hours = readDigits(reader, 2);
  // `+99` is accepted here as the server does; only zones with minutes are checked for range.
  if (reader.at === text.length) return `${sign}${hours}:00`;
  readOptional(reader, ':');
  const minutes = readDigits(reader, 2);
  if (reader.at !== text.length) {
    throw logicError(`Garbage characters \`${text.slice(reader.at)}\` at end of timezone string \`${text}\`.`);
  }
  if (Number(hours) > 24) throw logicError(`Hours out of range in \`${text}\`.`);
  if (Number(minutes) > 59) throw logicError(`Minutes out of range in \`${text}\`.`);
  return `${sign}${hours}:${minutes}`;
}

/** A zone in the form `+hh:mm`, or `undefined` where the text is none. */
export function tryTimeZone(text: string): string | undefined {
  try {
    return sanitizeTimeZone(text);
  } catch {
    return undefined;
  }
}

/** The offset of a sanitized zone from UTC, in seconds. */
export function zoneSeconds(zone: string): number {
  const seconds = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4, 6)) * 60;
  return zone.startsWith('-') ? -seconds : seconds;
}
