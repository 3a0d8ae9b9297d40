// Live queries on a screen for as long as a program runs. What is shown stays while the connection is gone; when the query is open
// again, the screen is told what differs, and nothing else. There is no driver in here: follow-rethinkdb.js,
// follow-rethinkdb-ts.ts and follow-rethinkdbdash.js use it with each of them. Copy it, and change what you like.

/** The options of `changes` that a View wants. */
export const SHOWN = { includeInitial: true, includeStates: true, includeTypes: true };

const FIRST_PATIENCE_MS = 2_000;
const LONGEST_PATIENCE_MS = 20_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** Errors that another try does not mend, by the names that drivers give them: the query is wrong, or not allowed. */
const FINAL = /^Reql(?:Auth|Permissions?|Compile|ServerCompile|QueryLogic|Logic|NonExist[ea]nce)Error$/;

/**
 * Lets a process live through errors of connections to which nobody listens. Two drivers have such errors before anybody can listen,
 * and after a handshake that has failed: `ignoreUnheardErrors(net.Connection)` with `net` of `rethinkdb/net.js`, and the same with
 * `rethinkdbdash/lib/connection.js`. What went wrong is told to whoever connects or reads.
 * @param {any} Connection the driver's class of connections
 */
export function ignoreUnheardErrors(Connection) {
  const { emit } = Connection.prototype;
  Connection.prototype.emit = function emitIfHeard(event, ...args) {
    const isUnheard = event === 'error' && this.listenerCount('error') === 0;
    return isUnheard ? false : emit.call(this, event, ...args);
  };
}

/** One connection. It is made when it is first wanted, and made anew when it is wanted and lost; however many want it, one is made. */
export class Line {
  #connect;
  #connection;
  #dialling;
  #patience = FIRST_PATIENCE_MS;

  /** @param {() => Promise<any>} connect makes a connection with a driver */
  constructor(connect) {
    this.#connect = connect;
  }

  /**
   * The connection. Drivers tell of the end of one once, twice or not at all, so nobody listens for that: what counts is whether
   * it is open when it is wanted.
   * @returns {Promise<any>}
   */
  async connection() {
    if (this.#connection?.open) return this.#connection;
    this.#dialling ??= this.#dial().finally(() => {
      this.#dialling = undefined;
    });
    return await this.#dialling;
  }

  async close() {
    await this.#connection?.close({ noreplyWait: false });
  }

  async #dial() {
    const connection = await this.#inTime(this.#connect());
    connection.on('error', () => {});
    this.#connection = connection;
    return connection;
  }

  /**
   * Gives up an attempt that takes too long, and has more patience with the next: drivers wait for long, or for ever, where a server
   * goes in the middle of the handshake. A connection that comes after all is closed.
   */
  async #inTime(connecting) {
    const patience = this.#patience;
    let timer;
    const late = new Promise((_resolve, reject) => {
      timer = setTimeout(() => {
        this.#patience = Math.min(LONGEST_PATIENCE_MS, 2 * patience);
        reject(new Error(`no connection within ${patience / 1000} seconds`));
        connecting.then((connection) => connection.close({ noreplyWait: false })).catch(() => {});
      }, patience);
    });
    try {
      const connection = await Promise.race([connecting, late]);
      this.#patience = FIRST_PATIENCE_MS;
      return connection;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** What is shown of one query: a value, groups, or rows by their keys. While a feed begins, it is read beside what is shown. */
export class View {
  #shown = new Map();
  #read = this.#shown;
  #show;
  #keyOf;

  /**
   * @param {(name: any, now: any, before: any) => void} show is told of each difference: of which group, or of which row by its
   *   key, `undefined` for a single value; what is there now, and what was before, `undefined` where nothing is
   * @param {(row: any) => unknown} [keyOf] tells rows apart; only for feeds of rows
   */
  constructor(show, keyOf) {
    this.#show = show;
    this.#keyOf = keyOf;
  }

  /**
   * Takes the next document of a feed.
   * @param {any} document
   * @returns {boolean} whether what is shown is all that there is
   */
  take(document) {
    if (document.state === 'initializing') this.#read = new Map();
    else if (document.state === 'ready') this.#ready();
    else if (document.state === undefined) this.#change(document);
    return this.#read === this.#shown;
  }

  #change({ type, group, old_val: old, new_val: now }) {
    if (this.#keyOf === undefined && group === undefined) {
      this.#put(undefined, now);
      return;
    }
    const nameOf = (row) => (this.#keyOf === undefined ? group : this.#keyOf(row));
    const goes = type === 'remove' || type === 'uninitial';
    // A row that had another key goes first.
    if (goes || (type === 'change' && JSON.stringify(nameOf(old)) !== JSON.stringify(nameOf(now))))
      this.#put(nameOf(old), undefined);
    if (!goes) this.#put(nameOf(now), now);
  }

  /** Groups and keys that are lists, objects or dates are the same where their JSON is. */
  #put(name, value) {
    const key = JSON.stringify(name);
    const before = this.#read.get(key)?.value;
    if (value === undefined) this.#read.delete(key);
    else this.#read.set(key, { name, value });
    if (this.#read === this.#shown) this.#show(name, value, before);
  }

  /** What was read is shown in the place of what was shown. */
  #ready() {
    const [before, now] = [this.#shown, this.#read];
    this.#shown = now;
    for (const [key, old] of before) if (!now.has(key)) this.#show(old.name, undefined, old.value);
    for (const [key, { name, value }] of now) {
      const old = before.get(key)?.value;
      if (JSON.stringify(old) !== JSON.stringify(value)) this.#show(name, value, old);
    }
  }
}

/**
 * Follows a query, whatever happens to the connection.
 * @param {object} query
 * @param {Line} query.line
 * @param {(connection: any) => Promise<any>} query.open runs the query; resolves to the cursor
 * @param {View} query.view
 * @param {(error: any, isTriedAgain: boolean) => void} [query.trouble] is told why the query has to be opened again, or never will
 * @returns {() => void} stops it
 */
export function follow({ line, open, view, trouble = () => {} }) {
  let isOver = false;
  let failures = 0;
  let timer;
  let cursor;
  // A driver may say that the connection was faster.
  const close = () => void Promise.resolve(cursor?.close()).catch(() => {});
  const next = async () => {
    try {
      cursor ??= await open(await line.connection());
      if (isOver) close();
      return isOver ? undefined : await cursor.next();
    } catch (error) {
      cursor = undefined;
      if (isOver) return undefined;
      isOver = FINAL.test(error.name);
      trouble(error, !isOver);
      return undefined;
    }
  };
  const read = async () => {
    let document = await next();
    while (document !== undefined && !isOver) {
      if (view.take(document)) failures = 0;
      document = await next();
    }
    if (isOver) return;
    // Between half and the whole of it, so that a thousand screens do not come back at once.
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++) * (0.5 + Math.random() / 2);
    timer = setTimeout(read, pause);
  };
  void read();
  return () => {
    isOver = true;
    clearTimeout(timer);
    close();
  };
}
