/**
 * The token bucket of `token-bucket.ts` as a Redis script: atomic, with one clock for all instances. Key: the bucket.
 * Arguments: limit, period in milliseconds, and `take` or `give`. Reply: 1 if the token was taken (otherwise 0), the
 * whole tokens left, and the milliseconds until the bucket is full. A full bucket has no key.
 */
export const BUCKET_SCRIPT = `
local limit, period = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local capacity = limit * period
local credit = capacity
local saved, since = string.match(redis.call('GET', KEYS[1]) or '', '^(%d+) (%d+)$')
if saved then
  local elapsed = math.min(math.max(now - since, 0), period)
  credit = math.min(capacity, saved + elapsed * limit)
end
local taken = 0
if ARGV[3] == 'give' then
  credit = math.min(capacity, credit + period)
elseif credit >= period then
  credit = credit - period
  taken = 1
end
local fullIn = math.ceil((capacity - credit) / limit)
if fullIn > 0 then
  redis.call('SET', KEYS[1], string.format('%.0f %.0f', credit, now), 'PX', fullIn)
else
  redis.call('DEL', KEYS[1])
end
return {taken, math.floor(credit / period), fullIn}
`;
