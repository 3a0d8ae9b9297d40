// The handshake between a client and upstream, relayed message by message.

import { TLSSocket } from 'node:tls';
import { Version } from '../../rewrite/reql/protocol.ts';
import { Hold } from '../relay/outlet.ts';
import { IS_NO_DRIVER_PORT } from '../upstream/greeting.ts';
import { handshakeError } from '../wire/handshake-message.ts';
import type { GatePass } from './handshake-gate.ts';
import type { HandshakeRelay } from './handshake-relay.ts';
import { Opaque } from './opaque.ts';
import { Open } from './open.ts';
import { FIRST_WORD_MS, type PhaseHost, QuietPhase, SILENT_TEXT, STOPPING_TEXT, type Upstream } from './phase.ts';

/** The text for a client whose upstream is something else: a driver that got the words of that would end its process. */
const FOREIGN_TEXT =
  'The upstream server of the proxy is not the driver port of a RethinkDB. Set `--upstream` of the proxy to that port, which is 28015 unless another was chosen.';

/** A client that upstream has not let in yet. */
export class Handshaking extends QuietPhase {
  readonly #handshake: HandshakeRelay;
  readonly #upstream: Upstream;
  readonly #pass: GatePass;
  /** Holds the client once it has said its part: its queries are read when upstream agrees. */
  readonly #hold: Hold;
  #timer: NodeJS.Timeout | undefined;

  constructor(host: PhaseHost, handshake: HandshakeRelay, upstream: Upstream, pass: GatePass) {
    super(host);
    this.#handshake = handshake;
    this.#upstream = upstream;
    this.#pass = pass;
    this.#hold = new Hold(host.clientBrake);
    if (host.isDraining) this.drain();
  }

  /** Looks how far the handshake is, and goes on to the next phase when it is over. */
  begin(): void {
    const handshake = this.#handshake;
    if (handshake.state === 'going') {
      if (handshake.clientDone) this.#hold.hold();
      if (handshake.waitsForUpstream) this.#pass.upstreamOwes();
      else this.#pass.clientOwes(() => this.#evicted());
      return;
    }
    const { host } = this;
    if (handshake.state === 'foreign') {
      host.upstreamUnfit(`upstream ${IS_NO_DRIVER_PORT}`, FOREIGN_TEXT);
      return;
    }
    const { clientRest, upstreamRest } = { clientRest: handshake.clientRest(), upstreamRest: handshake.upstreamRest() };
    const next = handshake.state === 'done' ? this.#opened() : new Opaque(host, this.#upstream);
    if (handshake.state === 'opaque') host.report.notReady(handshake);
    host.handshakeDone();
    host.enter(next);
    if (host.isDraining) next.drain();
    if (clientRest.length > 0) next.fromClient(clientRest);
    if (upstreamRest.length > 0) next.fromUpstream(upstreamRest);
  }

  fromClient(chunk: Buffer): void {
    this.#handshake.fromClient(chunk);
    this.begin();
  }

  override fromUpstream(chunk: Buffer): boolean {
    this.#handshake.fromUpstream(chunk);
    this.begin();
    // Bytes of it may be waiting in the handshake, and a write of them may still be going on.
    return true;
  }

  override clientEnded(): void {
    // A server ends a connection whose client has half-closed it, and so it closes in its turn.
    this.#upstream.socket.end();
  }

  override upstreamGone(reason: string, message = this.#goneText(reason)): void {
    // A client that has ended the handshake itself is owed no reason.
    if (this.host.report.reason === undefined) {
      this.#say(message);
      this.host.upstreamLost(reason);
    }
    super.upstreamGone(reason, message);
  }

  override timedOut(): void {
    if (this.#handshake.waitsForUpstream) {
      this.host.upstreamUnfit('upstream does not answer the handshake', SILENT_TEXT);
      return;
    }
    this.#say('The handshake took too long.');
    super.timedOut();
  }

  /** An upstream that is too busy to let anybody in does not hold up the end of the proxy. */
  override drain(): void {
    this.#timer ??= setTimeout(() => {
      this.#say(STOPPING_TEXT);
      this.host.end('proxy', 'stopping');
    }, FIRST_WORD_MS);
  }

  override leave(): void {
    clearTimeout(this.#timer);
    this.#pass.leave();
    this.#hold.release();
  }

  #opened(): Open {
    const { user, serverVersion, version } = this.#handshake;
    const protocol = version === Version.V1_0 ? 'V1_0' : version === Version.V0_4 ? 'V0_4' : 'V0_3';
    const facts = { protocol, user, serverVersion } as const;
    this.host.letIn(facts);
    return new Open(this.host, this.#upstream, facts);
  }

  #goneText(reason: string): string {
    const text = `The upstream server ended the handshake: ${reason}.`;
    const isBare = this.#handshake.isUnanswered && !(this.#upstream.socket instanceof TLSSocket);
    return isBare ? `${text} Where its driver port wants TLS, set \`--upstream-tls\` of the proxy.` : text;
  }

  #evicted(): void {
    this.#say('The handshake was given up: this client said nothing while others waited. Connect again.');
    this.host.report.gaveUp('evicted');
    this.host.end('proxy', 'the client said nothing in its handshake while others waited');
  }

  #say(message: string): void {
    this.host.client.write(handshakeError(this.#handshake.version, message));
  }
}
