/** How long what RethinkDB ends or spoils is read again where nothing else is said, in milliseconds. */
export const HEAL_MS = 60_000;
