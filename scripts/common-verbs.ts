// The verbs with which the name of a function may begin. The list is frozen: a name that is none of
// these reads as something else.
const words = `
  accept acknowledge act activate adapt add adjust admit adopt advance aggregate align allow announce answer append apply approve ask assemble
  assert assign attach audit authenticate authorize await
  back backup begin bind block bound break bring browse buffer build bump bundle
  calculate call cancel cap capture carry cast catch change charge check choose claim clamp classify clean clear click clone close
  collect combine commit compare compile complete compose compress compute configure confirm connect consume continue convert copy
  correct count cover create credit cut
  debit decide do dismiss declare decode decorate decrypt deduct defer define delay delete deliver deny derive describe deserialize detach
  detect determine diff digest disable disconnect discard discover dispatch display dispose divide download drain draw drive drop
  dump
  emit empty enable encode encrypt end enforce enqueue ensure enter escape establish estimate evaluate evict examine exchange
  exclude execute exit expand expect expire explain export extend extract
  fail fetch fill filter find finish fire fit fix flag flatten flush focus fold follow forecast forget fork form format forward
  free freeze fulfil
  gather generate get give grant group grow guard guess
  handle harden hash hide hold
  identify ignore import include increment index infer inform inherit inspect insert install interpret interrupt introduce
  invalidate invert invite invoke issue iterate
  join judge jump
  keep kill know
  label launch lay lead lease leave lend let level lift limit link list listen load localize locate lock log login logout look lose lower
  mail make manage map mark mask match measure meet mend merge migrate mint mirror mock modify mount move multiply
  name narrow navigate negotiate normalize note notify number
  observe obtain offer omit open order outline override overwrite own
  pace pack pad page paint pair parse partition pass paste patch pause pay pick pin place plan play poll pool pop populate post
  predict prefer prefix preload prepare present preserve press prevent price print probe process produce promise promote prompt propose
  protect prove provide prune publish pull purge push put
  query queue quote
  raise range rank rate reach read rebuild recall receive recognize reconcile reconnect record recover redact redeem redirect
  reencrypt   reduce refill refresh refund refuse register reject relate relay release reload remember remind remove rename render renew
  reopen repair repeat replace replay reply report request require reread reschedule reserve reset resize resolve respond restart
  restore restrict resume retire retry return reuse reveal reverse review revoke rewind rewrite roll rotate round route run
  sample sanitize save say scale scan schedule scope score scrape scroll seal search see seek select sell send separate serialize serve set
  settle shape share shed shift shorten show shrink shuffle shut sign simulate sit size skip sleep slice solve sort span speak
  spell spend split spread stamp start state stay stop store stream stringify strip submit subscribe subtract suggest sum summarize supervise
  support suspend swap sweep switch sync
  take tally tell terminate test thaw throttle throw tick tidy tie time toggle total touch trace track trail train transfer transform
  translate transmit traverse treat trigger trim truncate trust try tune turn
  unblock undo unescape unfold unlink unlock unmount unpack unregister unseal unsubscribe unwrap update upgrade upload use
  validate verify view visit vote
  wait wake walk want warm warn wash watch weigh widen wipe withdraw work wrap write
  yield zip
`;

export const commonVerbs: ReadonlySet<string> = new Set(words.trim().split(/\s+/));
