/*
 * Why it is like this. The answer is durable, and the wait is not: a future cannot be recreated after a restart, but an id
 * can be awaited again. A store keeps the first answer of each id. Waits are requests of a purgatory.
 *
 * Kafka: the first record of an id in its partition wins, so a writer reads back which record was first. An id carries its
 * partition and the time when it was made. No record of an id has an earlier time, so a reader knows where to begin. All
 * instances read which settings they must agree on from the first record with the key for settings.
 *
 * An instance makes its ids for one partition, its home, and claims it for ten minutes: the first record with the key of these
 * minutes wins. So no two instances share a home while there are enough partitions, and one instance reads an answer that
 * is offered. An answer whose giver asks which one is the first is read by the giver's instance, too.
 *
 * PostgreSQL: the primary key decides. NOTIFY is a hint, in a transaction apart, since a commit with NOTIFY takes a lock of
 * the whole server. Looks for a part of the ids at a time make up for lost hints.
 *
 * Ids carry an HMAC, so a stranger can neither forge records with times of the future, nor answer before a question is
 * asked, nor use an id of another table.
 *
 * Signals are hints: the truth is in the user's data. So a new instance needs no past, and hints can be merged.
 *
 * Rejected:
 * - a compacted topic: it keeps the last record of a key, so a late answer would replace the first one;
 * - a consumer group: each record goes to one instance, and the start of an instance stops all of them;
 * - routing the waiters of an id to one owner: an owner can vanish;
 * - a consumer group to choose homes: one more permission, heartbeat and consumer, and rebalances would move homes;
 * - two positions in a partition, at the end and in the past: most of what is in between is read twice;
 * - durable waiters: the connection of the client is gone, and its code is on another instance;
 * - Redis, with SET NX for the winner and PUBLISH to the instance of the id. Beside one broker of Kafka with one replica, on two cores,
 *   2,000 answers with 100 open ids, three instances: 0.10 ms in the median and 160 us of processor time of all processes for an
 *   answer; with an fsync each, 0.32 ms and 290 us; Kafka 0.77 ms and 1,175 us; PostgreSQL without fsync 10 ms and 2,135 us. But Redis
 *   replicates without waiting, so a failover can forget the first answer, and then there are two winners. A service that has Redis and
 *   can bear that needs no artifact for these two calls;
 * - signals over NOTIFY: a look at the data is needed as well, and nobody has asked for them;
 * - a protocol of our own between instances: a log or a table has membership, partitions and retries already;
 * - offsets in ids: a topic that is created again makes all of them wrong;
 * - an index of ids in another topic: more to run and to recover, for old ids only.
 *
 * Other engines do better in two cases. Where an answer need not survive its instance, request and reply of NATS takes it to its
 * waiter alone. Where all instances ask which answer is the first, Kafka Streams with interactive queries reads each once.
 *
 * Reconsider when Kafka can look up a key, or when ids that live for days are common in busy topics.
 */
/**
 * Answers that are given on one instance of a service and awaited on another, and signals that
 * reach the waiters of all instances.
 *
 * <p>Start reading at {@link dev.purgatory.answers.SharedReplies} or {@link
 * dev.purgatory.answers.SharedSignals}.
 */
@NullMarked
package dev.purgatory.answers;

import org.jspecify.annotations.NullMarked;
