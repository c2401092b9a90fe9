/**
 * Every operation in one script, which Redis runs whole: `KEYS[1]` is the inbox's prefix, `ARGV[1]`
 * the operation. An event is a hash; sorted sets find what is due, dead or settled; two hashes know
 * the claimed and the last handled event of each resource.
 */
export const REDIS_SCRIPT = `
local base, op = KEYS[1], ARGV[1]
local function event(name) return base .. ':event:' .. name end

if op == 'insert' or op == 'update' then
  local name, state, due, changed, body = ARGV[2], ARGV[5], ARGV[8], ARGV[10], ARGV[11]
  local known = redis.call('HMGET', event(name), 'state', 'token', 'slot', 'body')
  local slot = known[3] or ''
  if op == 'insert' then
    if known[1] then return 'changed' end
    slot = ARGV[17]
  elseif known[1] ~= ARGV[3] or known[2] ~= ARGV[4] then
    return 'changed'
  end
  if slot ~= '' then
    local holder = redis.call('HGET', base .. ':claimed', slot)
    if state == 'claimed' then
      if holder and holder ~= name then return 'held' end
      redis.call('HSET', base .. ':claimed', slot, name)
    elseif holder == name then
      redis.call('HDEL', base .. ':claimed', slot)
    end
    if state == 'handled' then redis.call('HSET', base .. ':last', slot, name) end
  end
  if op == 'insert' then
    redis.call('HSET', event(name), 'tenant', ARGV[12], 'id', ARGV[13], 'digest', ARGV[14], 'type', ARGV[15],
      'resource', ARGV[16], 'slot', slot, 'rank', ARGV[18], 'occurred', ARGV[19])
  end
  redis.call('HSET', event(name), 'state', state, 'token', ARGV[6], 'attempts', ARGV[7], 'due', due,
    'reason', ARGV[9], 'changed', changed)
  local kept = known[4] or body
  if state == 'handled' or state == 'superseded' then kept = '' end
  if kept == '' then redis.call('HDEL', event(name), 'body') else redis.call('HSET', event(name), 'body', kept) end
  local function list(set, score, member)
    if member then redis.call('ZADD', base .. set, score, name) else redis.call('ZREM', base .. set, name) end
  end
  list(':due', due, kept ~= '' and state ~= 'dead')
  list(':dead', changed, state == 'dead')
  list(':settled', changed, kept == '' and state ~= 'dead')
  return 'done'
end

if op == 'read' then return redis.call('HGETALL', event(ARGV[2])) end

if op == 'holder' or op == 'last' then
  local name = redis.call('HGET', base .. (op == 'holder' and ':claimed' or ':last'), ARGV[2])
  if not name then return {} end
  return redis.call('HGETALL', event(name))
end

if op == 'due' then
  local now, limit, offset, met, due = tonumber(ARGV[2]), tonumber(ARGV[3]), 0, {}, {}
  while #due < limit do
    local names = redis.call('ZRANGEBYSCORE', base .. ':due', '-inf', now, 'LIMIT', offset, 100)
    if #names == 0 then return due end
    offset = offset + #names
    for _, name in ipairs(names) do
      local slot = redis.call('HGET', event(name), 'slot')
      local free = true
      if slot and slot ~= '' then
        -- The names come in the order of their time: the first of a resource is its next one.
        free = not met[slot]
        met[slot] = true
        local holder = free and redis.call('HGET', base .. ':claimed', slot)
        if holder and holder ~= name then
          free = tonumber(redis.call('HGET', event(holder), 'due')) <= now
        end
      end
      if free and #due < limit then due[#due + 1] = redis.call('HGETALL', event(name)) end
    end
  end
  return due
end

if op == 'dead' then
  local dead = {}
  for _, name in ipairs(redis.call('ZREVRANGE', base .. ':dead', 0, tonumber(ARGV[2]) - 1)) do
    dead[#dead + 1] = redis.call('HGETALL', event(name))
  end
  return dead
end

if op == 'purge' then
  local names = redis.call('ZRANGEBYSCORE', base .. ':settled', '-inf', '(' .. ARGV[2], 'LIMIT', 0, ARGV[3])
  for _, name in ipairs(names) do
    local slot = redis.call('HGET', event(name), 'slot')
    if slot and slot ~= '' then
      for _, hash in ipairs({ ':claimed', ':last' }) do
        if redis.call('HGET', base .. hash, slot) == name then redis.call('HDEL', base .. hash, slot) end
      end
    end
    redis.call('DEL', event(name))
    redis.call('ZREM', base .. ':settled', name)
  end
  return #names
end

return redis.error_reply('unknown operation')
`;
