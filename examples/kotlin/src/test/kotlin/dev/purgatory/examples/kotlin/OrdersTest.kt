package dev.purgatory.examples.kotlin

import dev.purgatory.Outcome
import dev.purgatory.PurgatoryClosedException
import dev.purgatory.testkit.VirtualTime
import dev.purgatory.testkit.junit.PurgatoryExtension
import java.io.ByteArrayOutputStream
import java.io.IOException
import java.io.PrintStream
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeoutException
import kotlin.concurrent.thread
import kotlin.time.Duration.Companion.milliseconds
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith

/** Runs in virtual time. */
@ExtendWith(PurgatoryExtension::class)
class OrdersTest {
    private val requests = mutableMapOf<Int, String>()
    private var send: suspend (Int, String) -> Unit = { id, item -> requests[id] = item }
    private lateinit var time: VirtualTime
    private lateinit var orders: Orders

    @BeforeEach
    fun open(time: VirtualTime) {
        this.time = time
        orders =
            Orders(
                { id, item -> send(id, item) },
                { time.builder(it, String::class.java) },
                time.replies<Int, Boolean>("warehouse", Int::class.javaObjectType, Boolean::class.javaObjectType).build(),
            )
    }

    @AfterEach
    fun close() = orders.close()

    @Test
    fun `the first shipment on any key answers`() {
        val parcel = orders.parcel("a", "b")
        assertThat(parcel.outcome()).isNull()
        orders.ship("b", "parcel")
        assertThat(parcel).isCompletedWithValue("parcel")
        assertThat(parcel.outcome()).isEqualTo(Outcome.COMPLETED)
        assertThat(orders.parcel("b")).isCompletedWithValue("parcel")
    }

    @Test
    fun `a coroutine resumes with the answer, on its own dispatcher`() = runBlocking<Unit> {
        val parcel =
            async(start = UNDISPATCHED) { orders.awaitParcel("a", "b") to Thread.currentThread() }
        assertThat(orders.pending).isEqualTo(1)
        thread { orders.ship("a", "parcel") }.join()
        assertThat(parcel.await()).isEqualTo("parcel" to Thread.currentThread())
    }

    @Test
    fun `an answer that is there does not suspend`() = runBlocking<Unit> {
        orders.ship("a", "parcel")
        val parcel = async(start = UNDISPATCHED) { orders.awaitParcel("a") }
        assertThat(parcel.isCompleted).isTrue()
    }

    @Test
    fun `a coroutine fails with the timeout itself`() = runBlocking<Unit> {
        supervisorScope {
            val parcel = async(start = UNDISPATCHED) { orders.awaitParcel("a") }
            time.advance(Duration.ofDays(1))
            assertThat(runCatching { parcel.await() }.exceptionOrNull())
                .isInstanceOf(TimeoutException::class.java)
                .hasMessage("shipments: no answer within PT24H on [a]")
        }
    }

    @Test
    fun `a coroutine fails when the purgatory closes`() = runBlocking<Unit> {
        supervisorScope {
            val parcel = async(start = UNDISPATCHED) { orders.awaitParcel("a") }
            orders.close()
            assertThat(runCatching { parcel.await() }.exceptionOrNull())
                .isExactlyInstanceOf(PurgatoryClosedException::class.java)
        }
    }

    @Test
    fun `cancelling a coroutine cancels its request`() = runBlocking<Unit> {
        val parcel = async(start = UNDISPATCHED) { orders.awaitParcel("a") }
        assertThat(orders.pending).isEqualTo(1)
        parcel.cancelAndJoin()
        assertThat(orders.pending).isZero()
    }

    @Test
    fun `withTimeout cancels the request`() = runBlocking<Unit> {
        val failed = runCatching { withTimeout(1.milliseconds) { orders.awaitParcel("a") } }
        assertThat(failed.exceptionOrNull()).isInstanceOf(TimeoutCancellationException::class.java)
        assertThat(orders.pending).isZero()
        assertThat(orders.parcelWithin(1.milliseconds, "a")).isNull()
        assertThat(orders.pending).isZero()
    }

    @Test
    fun `a future that another caller cancels ends the coroutine without an error`() =
        runBlocking<Unit> {
            val parcel = orders.parcel("a")
            val customer = launch(start = UNDISPATCHED) { parcel.await() }
            parcel.cancel(false)
            customer.join()
            assertThat(customer.isCancelled).isTrue()
        }

    @Test
    fun `a reply answers its request once`() = runBlocking<Unit> {
        supervisorScope {
            val tea = async(start = UNDISPATCHED) { orders.inStock("tea") }
            val coffee = async(start = UNDISPATCHED) { orders.inStock("coffee") }
            assertThat(requests).isEqualTo(mapOf(1 to "tea", 2 to "coffee"))
            assertThat(orders.onReply(2, false)).isTrue()
            assertThat(orders.onReply(2, true)).isFalse()
            assertThat(coffee.await()).isFalse()
            time.advance(Duration.ofSeconds(5))
            assertThat(runCatching { tea.await() }.exceptionOrNull())
                .isInstanceOf(TimeoutException::class.java)
                .hasMessage("warehouse: no answer within PT5S on [1]")
            assertThat(orders.onReply(1, true)).isFalse()
        }
    }

    @Test
    fun `a request that cannot be sent waits for no reply`() = runBlocking<Unit> {
        send = { _, _ -> throw IOException("not sent") }
        assertThat(runCatching { orders.inStock("tea") }.exceptionOrNull())
            .isExactlyInstanceOf(IOException::class.java)
        assertThat(orders.pending).isZero()
    }

    @Test
    fun `a request that is cancelled while it is sent waits for no reply`() = runBlocking<Unit> {
        send = { _, _ -> awaitCancellation() }
        val tea = launch(start = UNDISPATCHED) { orders.inStock("tea") }
        assertThat(orders.pending).isEqualTo(1)
        tea.cancelAndJoin()
        assertThat(orders.pending).isZero()
    }

    @Test
    fun `a quote within the limit is the price`() = runBlocking<Unit> {
        val quote = CompletableFuture<Int>()
        val price = async(start = UNDISPATCHED) { orders.price(quote) }
        quote.complete(90)
        assertThat(price.await()).isEqualTo(90)
    }

    @Test
    fun `the list price is the price after the limit`() = runBlocking<Unit> {
        val price = async(start = UNDISPATCHED) { orders.price(CompletableFuture()) }
        time.advance(Duration.ofMillis(200))
        assertThat(price.await()).isEqualTo(100)
    }

    @Test
    fun `cancelling the wait for a quote leaves the quote alone`() = runBlocking<Unit> {
        val quote = CompletableFuture<Int>()
        val price = launch(start = UNDISPATCHED) { orders.price(quote) }
        price.cancelAndJoin()
        assertThat(quote).isNotDone()
        assertThat(orders.pending).isZero()
    }

    @Test
    fun `an offer waits for both`() = runBlocking<Unit> {
        val sent = CompletableDeferred<Int>()
        send = { id, _ -> sent.complete(id) }
        val offer = async { orders.offer("tea", CompletableFuture.completedFuture(90)) }
        orders.onReply(sent.await(), true)
        assertThat(offer.await()).isEqualTo(true to 90)
    }

    @Test
    fun `an offer that fails frees the other request`() = runBlocking<Unit> {
        val quote = CompletableFuture<Int>()
        supervisorScope {
            val offer = async(start = UNDISPATCHED) { orders.offer("tea", quote) }
            while (orders.pending < 2) {
                yield()
            }
            quote.completeExceptionally(IOException("no quote"))
            assertThat(runCatching { offer.await() }.exceptionOrNull())
                .isExactlyInstanceOf(IOException::class.java)
        }
        assertThat(orders.pending).isZero()
    }

    @Test
    fun `main runs`() {
        assertThat(output { main() }.lines()).containsExactly("parcel 7", "true", "100", "0", "")
    }

    private fun output(block: () -> Unit): String {
        val bytes = ByteArrayOutputStream()
        val out = System.out
        System.setOut(PrintStream(bytes, true, Charsets.UTF_8))
        try {
            block()
        } finally {
            System.setOut(out)
        }
        return bytes.toString(Charsets.UTF_8)
    }
}
