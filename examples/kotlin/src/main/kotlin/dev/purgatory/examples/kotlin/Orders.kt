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
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking

/** The three kinds of request: customers wait for shipments, replies of a warehouse, and quotes. */
class Orders(
    private val warehouse: (id: Int, item: String) -> Unit,
    builder: (name: String) -> PurgatoryBuilder = { Purgatory.builder(it) },
) : AutoCloseable {
    private val shipments = builder("shipments").build<String>()
    private val replies = Replies<Int, Boolean>(builder("warehouse").build())
    private val quotes = builder("quotes").build<String>()
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

    /** Asks the warehouse for an item, and returns whether it is in stock. */
    fun inStock(item: String): HeldFuture<Boolean> {
        val id = lastId.incrementAndGet()
        val reply = replies.expect(id, Duration.ofSeconds(5))
        warehouse(id, item)
        return reply
    }

    /** Called when the warehouse replies. Returns false if the reply is too late. */
    fun onReply(id: Int, inStock: Boolean): Boolean = replies.complete(id, inStock)

    /** Returns the quote, or the list price after 200 ms. */
    fun price(quote: CompletionStage<Int>): HeldFuture<Int> =
        quotes.limit(quote, Duration.ofMillis(200)) { LIST_PRICE }

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
    Orders({ _, _ -> }).use { orders ->
        val parcel = orders.parcel("order 1", "order 2")
        orders.ship("order 2", "parcel 7")
        println(parcel.join()) // parcel 7

        val inStock = orders.inStock("tea")
        orders.onReply(id = 1, inStock = true)
        println(inStock.join()) // true

        println(orders.price(CompletableFuture()).join()) // 100

        val customer = launch(start = CoroutineStart.UNDISPATCHED) { orders.awaitParcel("order 3") }
        customer.cancelAndJoin()
        println(orders.pending) // 0
    }
}
