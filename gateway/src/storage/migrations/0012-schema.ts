/**
 * The schema of version 0.1.0, for each database as frozen text. It replaces the twelve migrations before it: a database
 * that exactly these have built has this schema already, and only its records change.
 */
import { postgresSchema } from "./0012-schema-postgres.ts";
import { postgresFold } from "./0012-schema-postgres-fold.ts";
import { postgresFunctions } from "./0012-schema-postgres-functions.ts";
import { sqliteSchema } from "./0012-schema-sqlite.ts";
import type { Migration } from "./migration.ts";

export const schema: Migration = {
  id: 12,
  name: "schema",
  sqlite: [sqliteSchema],
  postgres: [postgresSchema, postgresFunctions, postgresFold],
  replacedChecksums: {
    sqlite: [
      "5abfcfa7f107134d27899e1aa8f03da7746e41045c98e10d5b7c324592cb78d0",
      "a02c46eb437167b3ecb314e3b5c2a251a89a036fd5f38b4f43613a2e894d7c97",
      "ffcab8ef1a760a7f0cc5317ddfa14606acec617cac95b884317aeaf7bb95c6c8",
      "7102c2b667800d96962b2f49b0482ea7bfe336228f56bc1e147592635a20bb24",
      "ff5aa71ce88c6ba647fe108d27287650c4a6566b70699f94814df6133c1cb589",
      "6ab1086b3bfdd6342be3756475316d86b3e4feb55eee2f5bbe07000d53a8d4c7",
      "dee57a28afc9545c02ea1104bcd10d24ce5c7089127de35c7a71669d4e8c779d",
      "4753af74edb4d9e95849c37718dd8571b4529a24016eebb83162da76a1084f92",
      "8f8d6eddb1114f17af136a4c641a051efd796d47723006d260253e56b7cd2d1c",
      "5e8e2b68613afa4485ffcfed945864c6243e8be22a81257aa66e60b4e606a7d0",
      "f818e9d8d3c83d39d8ffdbd40b6492244c7544d8439d730a9ce0be5a72928c09",
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ],
    postgres: [
      "8aaea273ea14eedbaf2d52e5e0debb8ecfa2d21dfa5b30fdfc457cd4b9b7393d",
      "d2895a08e7e504ab61092c0c67e60c638e4397cf9ecc1f6c4828ebb0e4450fe0",
      "ffcab8ef1a760a7f0cc5317ddfa14606acec617cac95b884317aeaf7bb95c6c8",
      "7102c2b667800d96962b2f49b0482ea7bfe336228f56bc1e147592635a20bb24",
      "ff5aa71ce88c6ba647fe108d27287650c4a6566b70699f94814df6133c1cb589",
      "6ab1086b3bfdd6342be3756475316d86b3e4feb55eee2f5bbe07000d53a8d4c7",
      "9860cd0b38beca114c9649dc5dd7d0d5b969f15d1921dfbd4210797f62dc7359",
      "4753af74edb4d9e95849c37718dd8571b4529a24016eebb83162da76a1084f92",
      "8f8d6eddb1114f17af136a4c641a051efd796d47723006d260253e56b7cd2d1c",
      "5e8e2b68613afa4485ffcfed945864c6243e8be22a81257aa66e60b4e606a7d0",
      "f818e9d8d3c83d39d8ffdbd40b6492244c7544d8439d730a9ce0be5a72928c09",
      "9a1dd1732b8d98f8654338045a4c2ad0bdf6008b30bf440fddce49a15a8e04ed",
    ],
  },
};
