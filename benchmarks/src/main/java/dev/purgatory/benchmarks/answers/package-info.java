/**
 * A soak of answers across instances: instances of a service in processes of their own, over a
 * cluster of Kafka, and clients that come back at other instances. During the soak, processes are
 * killed, paused and cut off.
 *
 * <pre>
 *   AnswersSoak -- Questions: the clients
 *        |             |
 *        |             +-- AnswerLedger: what they were told, and whether that is right
 *        |             |
 *        +-------------+-- ServiceInstance: a process and the connection to it
 *                               :
 *                          AnswerService: what runs in the process, over Answers
 * </pre>
 */
@NullMarked
package dev.purgatory.benchmarks.answers;

import org.jspecify.annotations.NullMarked;
