/**
 * Reserves a capture: atomic, by the clock of Redis. Keys: the counters of the month, and the reservations of the
 * period, a sorted set by their end. Arguments: the counter to compare, the limit, the id of the reservation, and its
 * lifetime in milliseconds. With the limit 0 it only reads. Reply: 1 if the capture was reserved (otherwise 0), the
 * captures that were counted, and the number of reservations.
 */
export const RESERVE_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
local used = math.max(tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or '0'), 0)
local held = redis.call('ZCARD', KEYS[2])
if used + held >= tonumber(ARGV[2]) then return {0, used, held} end
redis.call('ZADD', KEYS[2], now + ARGV[4], ARGV[3])
redis.call('PEXPIRE', KEYS[2], ARGV[4])
return {1, used, held + 1}
`;

/**
 * Extends reservations. Keys: the reservations of a period, once for each reservation. Arguments: the lifetime in
 * milliseconds, then the id of each reservation.
 */
export const RENEW_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i, held in ipairs(KEYS) do
  redis.call('ZADD', held, now + ARGV[1], ARGV[i + 1])
  redis.call('PEXPIRE', held, ARGV[1])
end
return 1
`;

/**
 * Writes a batch once. Keys: the batch, and the index of months, a sorted set of the hashes without an end; then those
 * of the changes. Arguments: the seconds for which the batch is remembered and old counters are kept, the latest month
 * of the batch, and the changes as JSON: \`[key number, {counter: increment}, month]\` adds to a hash, and \`[key
 * number, id]\` ends a reservation. All hashes of earlier months expire, including those of keys that the batch does
 * not name.
 */
export const WRITE_SCRIPT = `
if not redis.call('SET', KEYS[1], '1', 'NX', 'EX', ARGV[1]) then return 0 end
for _, change in ipairs(cjson.decode(ARGV[4])) do
  local key, what = KEYS[change[1]], change[2]
  if type(what) == 'string' then
    redis.call('ZREM', key, what)
  else
    for counter, increment in pairs(what) do
      redis.call('HINCRBY', key, counter, string.format('%.0f', increment))
    end
    redis.call('ZADD', KEYS[2], change[3], key)
  end
end
for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(' .. ARGV[3], 'LIMIT', 0, 100)) do
  redis.call('EXPIRE', old, ARGV[2])
  redis.call('ZREM', KEYS[2], old)
end
return 1
`;
