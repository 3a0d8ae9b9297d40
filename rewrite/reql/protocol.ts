// The numbers of RethinkDB's driver protocol other than term types (ql2.proto).

/** Kinds of query a client sends (ql2.proto, enum Query.QueryType). */
export const QueryType = { START: 1, CONTINUE: 2, STOP: 3, NOREPLY_WAIT: 4, SERVER_INFO: 5 } as const;
export type QueryType = (typeof QueryType)[keyof typeof QueryType];

/** Kinds of response (ql2.proto, enum Response.ResponseType). */
export const ResponseType = {
  SUCCESS_ATOM: 1,
  SUCCESS_SEQUENCE: 2,
  SUCCESS_PARTIAL: 3,
  WAIT_COMPLETE: 4,
  SERVER_INFO: 5,
  CLIENT_ERROR: 16,
  COMPILE_ERROR: 17,
  RUNTIME_ERROR: 18,
} as const;
export type ResponseType = (typeof ResponseType)[keyof typeof ResponseType];

/** Kinds of runtime error (ql2.proto, enum Response.ErrorType). */
export const ErrorType = {
  INTERNAL: 1000000,
  RESOURCE_LIMIT: 2000000,
  QUERY_LOGIC: 3000000,
  NON_EXISTENCE: 3100000,
  OP_FAILED: 4100000,
  OP_INDETERMINATE: 4200000,
  USER: 5000000,
  PERMISSION_ERROR: 6000000,
} as const;
export type ErrorType = (typeof ErrorType)[keyof typeof ErrorType];

/** Notes on a response: what kind of feed it belongs to (ql2.proto, enum Response.ResponseNote). */
export const ResponseNote = {
  SEQUENCE_FEED: 1,
  ATOM_FEED: 2,
  ORDER_BY_LIMIT_FEED: 3,
  UNIONED_FEED: 4,
  INCLUDES_STATES: 5,
} as const;
export type ResponseNote = (typeof ResponseNote)[keyof typeof ResponseNote];

/** The first four bytes of a connection, little-endian (ql2.proto, enum VersionDummy.Version). */
export const Version = {
  V0_1: 0x3f61ba36,
  V0_2: 0x723081e1,
  V0_3: 0x5f75e83e,
  V0_4: 0x400c2d20,
  V1_0: 0x34c2bdc3,
} as const;
export type Version = (typeof Version)[keyof typeof Version];

/** The wire encodings older handshakes choose between (ql2.proto, enum VersionDummy.Protocol). */
export const Protocol = { PROTOBUF: 0x271ffc41, JSON: 0x7e6970c7 } as const;
export type Protocol = (typeof Protocol)[keyof typeof Protocol];
