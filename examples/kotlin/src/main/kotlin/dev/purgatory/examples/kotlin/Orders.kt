package dev.purgatory.examples.kotlin

import dev.purgatory.HeldFuture
import dev.purgatory.Purgatory
import dev.purgatory.PurgatoryBuilder
import dev.purgatory.Replies
import java.time.Duration
import java.util.concurrent.CompletableFuture
import java.util.concurrent.CompletionStage
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicInteger
import kotlin.time.Duration as KotlinDuration
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeoutOrNull

/** The three kinds of request: customers wait for shipments, replies of a warehouse, and quotes. */
class Orders(
    private val warehouse: suspend Orders.(id: Int, item: String) -> Unit,
    builder: (name: String) -> PurgatoryBuilder<String> = { Purgatory.builder(it, String::class.java) },
    private val replies: Replies<Int, Boolean> =
        Replies.builder<Int, Boolean>("warehouse", Int::class.javaObjectType, Boolean::class.javaObjectType).build(),
) : AutoCloseable {
    private val shipments = builder("shipments").build()
    private val quotes = builder("quotes").build()
    private val shipped = ConcurrentHashMap<String, String>()
    private val lastId = AtomicInteger()

    val pending: Long
        get() = shipments.pending() + replies.pending() + quotes.pending()

    // sample: kotlin
    /** Returns the parcel of the first of these orders that ships. */
    fun parcel(vararg orders: String): HeldFuture<String> =
        shipments
            .until { orders.firstNotNullOfOrNull { shipped[it] } } // null: none has shipped yet
            .orTimeout(Duration.ofDays(1))
            .hold(*orders)

    /** The same for coroutines. Cancelling the coroutine cancels the request. */
    suspend fun awaitParcel(vararg orders: String): String = parcel(*orders).await()

    fun ship(order: String, parcel: String) {
        shipped[order] = parcel
        shipments.signal(order)
    }

    // end

    // sample: kotlin-reply
    /** Asks the warehouse whether it has an item. */
    suspend fun inStock(item: String): Boolean {
        val id = lastId.incrementAndGet()
        val reply = replies.expect(id, Duration.ofSeconds(5))
        try {
            warehouse(id, item) // sends the request; may fail or be cancelled, too
            return reply.await()
        } finally {
            reply.cancel(false) // has no effect if the reply has come
        }
    }

    /** Called when the warehouse replies. Returns false if nobody waits for the reply. */
    fun onReply(id: Int, inStock: Boolean): Boolean = replies.complete(id, inStock)

    // end

    // sample: kotlin-timeout
    /** Returns the quote, or the list price after 200 ms. */
    suspend fun price(quote: CompletionStage<Int>): Int =
        quotes.timeout(quote, Duration.ofMillis(200)) { LIST_PRICE }.await()

    // end

    // sample: kotlin-cancellation
    /** Returns the parcel, or null if the caller does not want to wait any longer. */
    suspend fun parcelWithin(patience: KotlinDuration, order: String): String? =
        withTimeoutOrNull(patience) { awaitParcel(order) }

    /** Waits for both at once. If one fails, the request of the other is cancelled. */
    suspend fun offer(item: String, quote: CompletionStage<Int>): Pair<Boolean, Int> =
        coroutineScope {
            val inStock = async { inStock(item) }
            val price = async { price(quote) }
            inStock.await() to price.await()
        }

    // end

    override fun close() {
        shipments.close()
        replies.close()
        quotes.close()
    }

    private companion object {
        const val LIST_PRICE = 100
    }
}

/** Runs the example. */
fun main(): Unit = runBlocking {
    Orders({ id, _ -> onReply(id, inStock = true) }).use { orders ->
        val parcel = orders.parcel("order 1", "order 2")
        orders.ship("order 2", "parcel 7")
        println(parcel.await()) // parcel 7

        println(orders.inStock("tea")) // true

        println(orders.price(CompletableFuture())) // 100

        val customer = launch(start = CoroutineStart.UNDISPATCHED) { orders.awaitParcel("order 3") }
        customer.cancelAndJoin()
        println(orders.pending) // 0
    }
}
