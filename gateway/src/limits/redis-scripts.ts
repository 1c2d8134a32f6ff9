/**
 * The Lua scripts, each one atomic step by the clock of Redis. A window is a hash from the end of a
 * time slice (milliseconds) to the amount counted in it, with the same meaning as a window in
 * memory (counters.ts).
 */
import { buildRedisScript } from "./redis-connection.ts";

/** ARGV[1] is the time in tests; 0 means Redis's own clock. */
const clock = `
local function clock()
  local given = tonumber(ARGV[1])
  if given > 0 then return given end
  local time = redis.call("TIME")
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local now = clock()
local function text(number) return string.format("%.0f", number) end
`;

/**
 * ARGV: clock, windowMs, slotMs, … Slices too far ahead were counted before the clock was set back.
 */
const windows = `${clock}
local window, length = tonumber(ARGV[2]), tonumber(ARGV[3])
local slots, sum = {}, 0
local fields = redis.call("HGETALL", KEYS[1])
for index = 1, #fields, 2 do
  local till = tonumber(fields[index])
  if till <= now or till > now + window + length then
    redis.call("HDEL", KEYS[1], fields[index])
  else
    slots[#slots + 1] = { till = till, field = fields[index], amount = tonumber(fields[index + 1]) }
    sum = sum + slots[#slots].amount
  end
end
table.sort(slots, function(one, other) return one.till < other.till end)
local function count(amount)
  local till = (math.floor(now / length) + 1) * length - 1 + window
  local last = slots[#slots]
  if #slots > 20 and last.till < till then
    redis.call("HDEL", KEYS[1], last.field)
    amount = amount + last.amount
  end
  redis.call("HINCRBY", KEYS[1], text(till), text(amount))
  redis.call("PEXPIRE", KEYS[1], text(window + length))
  return last and math.max(last.till, till) or till
end
`;

/**
 * ARGV: clock, windowMs, slotMs, amount, limit, whether to count (1) or only to check (0). Returns
 * the milliseconds to wait; after counting also what the window has, and the milliseconds until all
 * of it is free.
 */
export const takeScript = buildRedisScript(`${windows}
local amount, most = tonumber(ARGV[4]), tonumber(ARGV[5])
if amount > most then return { window } end
local over = sum + amount - most
for _, slot in ipairs(slots) do
  if over <= 0 then break end
  over = over - slot.amount
  if over <= 0 then return { slot.till - now } end
end
if ARGV[6] ~= "1" then return { 0 } end
return { 0, sum + amount, count(amount) - now }
`);

/**
 * ARGV: clock, windowMs, slotMs, amount. Refunds from the oldest slice; a negative amount is
 * counted.
 */
export const refundScript = buildRedisScript(`${windows}
local left = tonumber(ARGV[4])
if left < 0 then
  count(-left)
  return { 0 }
end
for _, slot in ipairs(slots) do
  local taken = math.min(slot.amount, left)
  if taken == slot.amount then redis.call("HDEL", KEYS[1], slot.field)
  elseif taken > 0 then redis.call("HINCRBY", KEYS[1], slot.field, text(-taken)) end
  left = left - taken
end
return { 0 }
`);

const slotHolders = `${clock}
redis.call("ZREMRANGEBYSCORE", KEYS[1], "-inf", text(now))
`;

/** ARGV: clock, leaseMs, limit, member. Returns 1 when a slot was acquired. */
export const acquireScript = buildRedisScript(`${slotHolders}
if not redis.call("ZSCORE", KEYS[1], ARGV[4]) and redis.call("ZCARD", KEYS[1]) >= tonumber(ARGV[3]) then return { 0 } end
redis.call("ZADD", KEYS[1], text(now + tonumber(ARGV[2])), ARGV[4])
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return { 1 }
`);

/** ARGV: clock. Returns how many slots are held. */
export const countScript = buildRedisScript(`${slotHolders}
return { redis.call("ZCARD", KEYS[1]) }
`);

/**
 * ARGV: clock, leaseMs, member, … Renews the slots of the members, also when Redis has lost them.
 */
export const renewScript = buildRedisScript(`${slotHolders}
for index = 3, #ARGV do redis.call("ZADD", KEYS[1], text(now + tonumber(ARGV[2])), ARGV[index]) end
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return { 1 }
`);

/** ARGV: clock, member. */
export const releaseScript = buildRedisScript(`${clock}
redis.call("ZREM", KEYS[1], ARGV[2])
return { 1 }
`);
