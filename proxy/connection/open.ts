// The long phase: upstream has let the client in, and queries and answers pass through the relay.

import { Relay } from '../relay/relay.ts';
import type { ConnectionFacts } from '../relay/relay-options.ts';
import { FIRST_WORD_MS, type Phase, type PhaseHost, SILENT_TEXT, type Upstream } from './phase.ts';
import { upstreamActivity } from './upstream-activity.ts';
import { UpstreamLiveness } from './upstream-liveness.ts';

/** Bytes of answers that may wait for a client that goes on asking. Few, and clients that ask much before they read would hang. */
const MOST_UNREAD = 8 * 1024 * 1024;

/** A client that upstream has let in. */
export class Open implements Phase {
  readonly isArriving: boolean = false;
  readonly #host: PhaseHost;
  readonly #upstream: Upstream;
  readonly #relay: Relay;
  readonly #openedAt: number = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #liveness: UpstreamLiveness | undefined;

  constructor(host: PhaseHost, upstream: Upstream, facts: ConnectionFacts) {
    this.#host = host;
    this.#upstream = upstream;
    const ends = {
      client: upstream.toClient,
      upstream: upstream.toUpstream,
      clientBrake: host.clientBrake,
      end: (reason: string): void => host.end('proxy', reason),
    };
    this.#relay = new Relay(host.context.relay, facts, ends, host.id);
  }

  fromClient(chunk: Buffer): void {
    this.#relay.fromClient(chunk);
    if (this.#host.client.writableLength > MOST_UNREAD) this.#waitForReader();
  }

  fromUpstream(chunk: Buffer): boolean {
    this.#relay.fromUpstream(chunk);
    return this.#relay.keepsUpstream;
  }

  get betweenAnswers(): boolean {
    return this.#relay.betweenAnswers;
  }

  clientEnded(reason: string): void {
    // A server ends a connection whose client has half-closed it; so no answers are owed, and it closes in its turn.
    this.#relay.closeFeeds(reason, this.#host.report.by);
    this.#upstream.socket.end();
  }

  upstreamGone(reason: string): void {
    if (this.#host.report.reason === undefined) this.#host.upstreamLost(reason);
    this.#host.end('upstream', reason);
  }

  timedOut(): void {}

  drain(): void {
    const end = (): void => this.#host.end('proxy', 'stopping');
    const left = FIRST_WORD_MS - (performance.now() - this.#openedAt);
    const waits = left > 0 && !this.#relay.isUsed;
    if (waits) this.#timer = setTimeout(() => this.#relay.drain(end, false), left);
    this.#relay.drain(end, waits);
  }

  lookForSilence(now: number): void {
    this.#liveness ??= new UpstreamLiveness(this.#host.context.keepaliveMs);
    const verdict = this.#liveness.look(upstreamActivity(this.#upstream.socket, this.#relay, now));
    if (verdict === 'ask') this.#relay.askForLife();
    if (verdict === 'look')
      this.#host.context.upstreams.look(this.#upstream.address, (found) => this.#liveness?.reached(found));
    if (verdict === 'gone') this.#host.upstreamUnfit('upstream is silent', SILENT_TEXT);
  }

  leave(reason: string): void {
    clearTimeout(this.#timer);
    this.#relay.close(reason, this.#host.report.by);
  }

  /** The client asks and does not read: it is not listened to until it does. Answers of upstream's are held back by themselves. */
  #waitForReader(): void {
    this.#host.clientBrake.hold();
    this.#upstream.toClient.onDrain(() => this.#host.clientBrake.release());
  }
}
