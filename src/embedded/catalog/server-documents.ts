// The documents that describe the one server there is (server_status.cc, server_config.cc, stats_backend.cc).

import { hostname } from 'node:os';
import type { DatumObject } from '../../../rewrite/reql/data/datum.ts';
import type { Catalog } from './catalog.ts';
import type { IdentifierFormat } from './config-documents.ts';

/** The version as `server_status` shows it. */
const VERSION = 'rethinkdb 2.4.4 (embedded)';

const time = (date: Date): DatumObject => ({
  $reql_type$: 'TIME',
  epoch_time: date.getTime() / 1000,
  timezone: '+00:00',
});

export function serverConfig(catalog: Catalog): DatumObject {
  return { cache_size_mb: 'auto', id: catalog.serverId, name: catalog.serverName, tags: ['default'] };
}

export function serverStatus(catalog: Catalog): DatumObject {
  const { host, port } = catalog.address;
  const started = time(catalog.startedAt);
  return {
    id: catalog.serverId,
    name: catalog.serverName,
    network: {
      canonical_addresses: [{ host, port }],
      cluster_port: 0,
      connected_to: {},
      hostname: hostname(),
      http_admin_port: '<no http admin>',
      reql_port: port,
      time_connected: started,
    },
    process: { argv: [], cache_size_mb: 0, pid: process.pid, time_started: started, version: VERSION },
  };
}

/** One row for the cluster and one for the server; nothing is counted here. */
export function statsRows(catalog: Catalog, format: IdentifierFormat): readonly DatumObject[] {
  const engine = {
    client_connections: 0,
    clients_active: 0,
    queries_per_sec: 0,
    read_docs_per_sec: 0,
    written_docs_per_sec: 0,
  };
  const server = format === 'name' ? catalog.serverName : catalog.serverId;
  return [
    { id: ['cluster'], query_engine: engine },
    { id: ['server', catalog.serverId], query_engine: engine, server },
  ];
}
