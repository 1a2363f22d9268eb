/*
 * Why it is like this. The program serves the page, with the JDK's HTTP server: no agent and no second process. A browser
 * is one thread, at most eight. Samples are taken when a page asks, and pages share them.
 *
 * The path of a request gets no work. Diagnostics count since the start, and the console subtracts. A walk over all entries
 * rests for 99 times its length. Signals and stacks are recorded each second for pages, and every ten seconds for the log.
 *
 * Findings are rules with enough cases and a clear majority, since a false alarm devalues the others. Each has a test that
 * makes the fault and mends it. Stacks show a slow condition only if its thread waits, since a running one may be short and
 * called often.
 *
 * Keys are hidden by default: they are often names of customers. Loopback, Host and Origin are checked, because a browser on
 * the same machine carries out requests for any site.
 *
 * The page is TypeScript without a framework, bundled by esbuild from Maven Central: the build needs no Node. Wheels are
 * played by a timer in virtual time, so nothing of them is written a second time.
 *
 * Rejected:
 * - everything through JMX: each JMX client would see keys, and MBeans would promise the structure of wheels;
 * - a listener that counts ends by key, or a count for each signal: a cost for each request;
 * - a stream of Flight Recorder: precise, but it slows down each request while a page is open;
 * - a finding for each key that is signalled and has no requests: a server signals whether or not a client waits;
 * - a finding for all ends at the time limit: they are normal for long polls;
 * - a built page in the repository: it has to be compared with its sources, which needs Node again;
 * - attaching to all JVMs of the user in `top`: it starts a management agent in programs that nobody asked about.
 *
 * Reconsider the framework if the page gets views that share state.
 */
/**
 * A page that shows what purgatories hold, why, and what is wrong with their signals: {@link
 * dev.purgatory.console.Console}.
 */
@NullMarked
package dev.purgatory.console;

import org.jspecify.annotations.NullMarked;
