/**
 * The variables of where a gateway stands: its storage, its keys, its proxy, the systems it moves
 * in from.
 */
import * as z from "zod/mini";
import { headerSecretPattern } from "../http/trusted-header-settings.ts";
import {
  block,
  defineInteger,
  isRedisUrl,
  list,
  postgresUrl,
  signInHeader,
  siteUrl,
  webAddress,
} from "./config-values.ts";

import type { VariableRows } from "./variable-row.ts";

export const storageVariables = {
  HOST: {
    meaning: "Address to listen on; a container sets `0.0.0.0`",
    schema: z._default(z.string(), "127.0.0.1"),
  },
  PORT: {
    meaning: "Port to listen on; `0` takes any free one",
    schema: z._default(defineInteger(0, 65_535), 3_000),
  },
  ENVIRONMENT_FILE: {
    meaning:
      "A file of variables, by the rules of systemd's `EnvironmentFile`, with its hyphen before a file that may be missing; they win over the environment, and a reload reads them anew ([docs/operations.md](operations.md#reload))",
    schema: z.optional(z.string()),
  },
  DATA_DIR: {
    meaning: "Folder of the embedded database and of the generated master key",
    schema: z._default(z.string(), "./data"),
  },
  DATABASE_URL: {
    isSecret: true,
    meaning: "`postgres://…`; absent means SQLite in `DATA_DIR`. `SQL_DSN` is read as the same",
    schema: z.optional(postgresUrl),
  },
  DATABASE_POOLER: {
    meaning:
      "`transaction` where `DATABASE_URL` leads to a connection pooler in transaction mode, such as PgBouncer",
    schema: z._default(z.enum(["none", "transaction"]), "none"),
  },
  DATABASE_DIRECT_URL: {
    isSecret: true,
    meaning:
      "Address of PostgreSQL itself when `DATABASE_URL` is such a pooler: used for migrations and to receive changes of other nodes at once",
    schema: z.optional(postgresUrl),
  },
  DATABASE_READ_URL: {
    isSecret: true,
    meaning:
      "A PostgreSQL standby that serves lists, charts and exports of calls while it lags by at most 5 seconds",
    schema: z.optional(postgresUrl),
  },
  DATABASE_CONNECTIONS: {
    meaning:
      "Maximum number of connections to PostgreSQL; a call waits up to five seconds for a free one",
    schema: z._default(defineInteger(1, 1_000), 16),
  },
  REDIS_URL: {
    isSecret: true,
    meaning:
      "`redis://…` or `rediss://user:password@host:port/database`: several nodes share their limits there; absent: each node counts alone. `REDIS_CONN_STRING` is read as the same",
    schema: z.optional(
      z
        .string()
        .check(
          z.refine(isRedisUrl, "must be redis:// or rediss://user:password@host:port/database"),
        ),
    ),
  },
} as const satisfies VariableRows;

export const firstStartVariables = {
  MASTER_KEY: {
    isSecret: true,
    meaning:
      "32 bytes in base64 that seal provider keys and tokens; absent: generated into `DATA_DIR/master.key` on a new site. Keep a copy: without it the stored keys cannot be opened",
    schema: z.optional(
      z.string().check(z.regex(/^[A-Za-z0-9+/]{43}=?$/, "must be 32 bytes in base64")),
    ),
    default: "generated",
  },
  NEW_MASTER_KEY: {
    isSecret: true,
    meaning:
      "Only for `rotate-key`: the new master key, in the same form; absent: generated ([docs/operations.md](operations.md))",
    schema: z.optional(
      z.string().check(z.regex(/^[A-Za-z0-9+/]{43}=?$/, "must be 32 bytes in base64")),
    ),
    default: "generated",
  },
  INITIAL_ROOT_PASSWORD: {
    isSecret: true,
    meaning:
      "Password of `root` at the first start, 8 to 128 characters; absent: a random one, printed once",
    schema: z.optional(z.string().check(z.minLength(8), z.maxLength(128))),
    default: "random",
  },
} as const satisfies VariableRows;

export const importVariables = {
  IMPORT_SOURCE: {
    isSecret: true,
    meaning:
      "Source of the command `import` when none is given as an argument, so that a password never appears in process arguments",
    schema: z.optional(z.string().check(z.maxLength(2_000))),
  },
  IMPORT_LOG_SOURCE: {
    isSecret: true,
    meaning: "Database of the other system's log, where that is a separate one (its `LOG_SQL_DSN`)",
    schema: z.optional(z.string().check(z.maxLength(2_000))),
  },
} as const satisfies VariableRows;

export const remoteCommandVariables = {
  TOLLGATE_URL: {
    meaning:
      "Address of the running gateway for `apply`, `plan`, `export`, `users`, `keys`, `channels` and `mcp`; absent: `PORT` of this machine",
    schema: z.optional(webAddress),
  },
  TOLLGATE_KEY: {
    isSecret: true,
    meaning: "Management key for these commands",
    schema: z.optional(z.string().check(z.maxLength(200))),
  },
} as const satisfies VariableRows;

export const proxyVariables = {
  PUBLIC_URL: {
    meaning:
      "The address that browsers use, for instance `https://ai.example.com`: links in mails lead there, and with https the session cookie is secure. It may have a path, such as `https://example.com/gate` ([docs/operations.md](operations.md#below-a-path)). Passkeys belong to its host; changing the host invalidates them",
    schema: siteUrl,
  },
  TRUSTED_PROXIES: {
    meaning:
      "Comma-separated addresses or blocks of reverse proxies whose `X-Forwarded-For` is trusted",
    schema: z._default(z.pipe(z.pipe(z.string(), z.transform(list)), z.array(block)), []),
  },
  TRUSTED_SIGN_IN_HEADER: {
    meaning:
      "The header in which these proxies name the signed-in user, such as `Remote-User` ([docs/operations.md](operations.md#sign-in-by-the-proxy))",
    schema: signInHeader,
  },
  TRUSTED_SIGN_IN_SECRET_HEADER: {
    meaning:
      "The header that carries a secret known only to these proxies; without it the user header is ignored",
    schema: signInHeader,
  },
  TRUSTED_SIGN_IN_SECRET: {
    isSecret: true,
    meaning: "That secret, 24 to 256 characters",
    schema: z.optional(
      z.string().check(z.regex(headerSecretPattern, "must be 24 to 256 characters without spaces")),
    ),
  },
  TRUSTED_SIGN_IN_GROUPS_HEADER: {
    meaning:
      "The header that lists the user's groups, for the rules of the setting `TrustedSignInRules`",
    schema: signInHeader,
  },
} as const satisfies VariableRows;
