package dev.purgatory.examples.kotlin

import dev.purgatory.Outcome
import dev.purgatory.testkit.VirtualTime
import dev.purgatory.testkit.junit.PurgatoryExtension
import java.io.ByteArrayOutputStream
import java.io.PrintStream
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.TimeoutException
import kotlinx.coroutines.CoroutineStart.UNDISPATCHED
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.supervisorScope
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.extension.ExtendWith

/** Runs in virtual time. */
@ExtendWith(PurgatoryExtension::class)
class OrdersTest {
    private val requests = mutableMapOf<Int, String>()
    private lateinit var time: VirtualTime
    private lateinit var orders: Orders

    @BeforeEach
    fun open(time: VirtualTime) {
        this.time = time
        orders = Orders(requests::put, time::builder)
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
    fun `a coroutine resumes with the answer`() = runBlocking<Unit> {
        val parcel = async(start = UNDISPATCHED) { orders.awaitParcel("a", "b") }
        assertThat(orders.pending).isEqualTo(1)
        orders.ship("a", "parcel")
        assertThat(parcel.await()).isEqualTo("parcel")
    }

    @Test
    fun `a coroutine fails with the timeout`() = runBlocking<Unit> {
        supervisorScope {
            val parcel = async(start = UNDISPATCHED) { orders.awaitParcel("a") }
            time.advance(Duration.ofDays(1))
            assertThat(runCatching { parcel.await() }.exceptionOrNull())
                .isInstanceOf(TimeoutException::class.java)
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
    fun `a reply answers its request once`() {
        val tea = orders.inStock("tea")
        val coffee = orders.inStock("coffee")
        assertThat(requests).isEqualTo(mapOf(1 to "tea", 2 to "coffee"))
        assertThat(orders.onReply(2, false)).isTrue()
        assertThat(orders.onReply(2, true)).isFalse()
        assertThat(coffee).isCompletedWithValue(false)
        time.advance(Duration.ofSeconds(5))
        assertThat(tea.cause()).isInstanceOf(TimeoutException::class.java)
        assertThat(orders.onReply(1, true)).isFalse()
    }

    @Test
    fun `a quote within the limit is the price`() {
        val quote = CompletableFuture<Int>()
        val price = orders.price(quote)
        quote.complete(90)
        assertThat(price).isCompletedWithValue(90)
    }

    @Test
    fun `the list price is the price after the limit`() {
        val price = orders.price(CompletableFuture())
        time.advance(Duration.ofMillis(200))
        assertThat(price).isCompletedWithValue(100)
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
