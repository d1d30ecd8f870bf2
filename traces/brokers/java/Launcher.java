import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Starts one Kafka broker, or one ZooKeeper server, and takes orders on standard input, a line each.
 *
 * Kafka's own classes do everything; this one only calls them, by reflection, so that it serves every release
 * without being compiled against any. What it adds is a clock that can be put forward (a broker asks an object for the
 * time) and two periodic tasks of the broker that can be run at once: writing the checkpoint of the high watermarks,
 * and looking for replicas to drop from the ISR.
 *
 * The process ends with its standard input: when the one who started it dies, in whatever way, the pipe closes.
 */
public final class Launcher {
    private static final AtomicLong AHEAD = new AtomicLong();
    private static final CountDownLatch STARTED = new CountDownLatch(1);

    public static void main(String[] arguments) throws Exception {
        BlockingQueue<String> orders = new LinkedBlockingQueue<>();
        Thread listener = new Thread(() -> listen(orders));
        listener.setDaemon(true);
        listener.start();
        Object server = null;
        try {
            if (arguments[0].equals("zookeeper")) {
                startZooKeeper(arguments[1]);
            } else {
                server = startBroker(arguments[1], arguments[0].equals("registering"));
            }
        } catch (Throwable error) {
            Throwable cause = error instanceof InvocationTargetException ? error.getCause() : error;
            cause.printStackTrace();
            say("failed " + cause);
            Runtime.getRuntime().halt(1);
        }
        say("ready");
        while (true) {
            try {
                say(obey(server, orders.take().trim().split(" ")));
            } catch (Throwable error) {
                Throwable cause = error instanceof InvocationTargetException ? error.getCause() : error;
                cause.printStackTrace();
                say("failed " + cause);
            }
        }
    }

    /** Also while the server still starts: the end of the input is the end of the process. */
    private static void listen(BlockingQueue<String> orders) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                orders.add(line);
            }
        } catch (IOException error) {
            error.printStackTrace();
        }
        Runtime.getRuntime().halt(0);
    }

    private static void say(String line) {
        System.out.println(line.replace('\n', ' '));
        System.out.flush();
    }

    private static void startZooKeeper(String config) {
        Thread server = new Thread(() -> {
            try {
                Class<?> main = Class.forName("org.apache.zookeeper.server.ZooKeeperServerMain");
                main.getMethod("main", String[].class).invoke(null, (Object) new String[] {config});
            } catch (Throwable error) {
                error.printStackTrace();
            }
            Runtime.getRuntime().halt(1);
        });
        server.setDaemon(true);
        server.start();
    }

    /** A registering broker takes orders while it starts: under KRaft that goes on until it is unfenced. */
    private static Object startBroker(String file, boolean registering) throws Exception {
        Properties properties = new Properties();
        try (FileInputStream in = new FileInputStream(file)) {
            properties.load(in);
        }
        Class<?> kafkaConfig = Class.forName("kafka.server.KafkaConfig");
        Object config = kafkaConfig.getMethod("fromProps", Properties.class).invoke(null, properties);
        String roles = properties.getProperty("process.roles");
        String kind = roles == null ? "kafka.server.KafkaServer" : "kafka.server.KafkaRaftServer";
        Constructor<?> constructor = Class.forName(kind).getConstructors()[0];
        Object[] values = new Object[constructor.getParameterCount()];
        for (int i = 0; i < values.length; i++) {
            Class<?> type = constructor.getParameterTypes()[i];
            if (type == kafkaConfig) {
                values[i] = config;
            } else if (type.getName().endsWith("utils.Time")) {
                values[i] = clock(type);
            } else if (type == boolean.class) {
                values[i] = false;
            } else if (type.getName().equals("scala.Option")) {
                values[i] = type.getMethod("empty").invoke(null);
            } else {
                values[i] = Class.forName("scala.collection.immutable.Nil$").getField("MODULE$").get(null);
            }
        }
        Object server = constructor.newInstance(values);
        if (registering) {
            new Thread(() -> startUp(server)).start();
        } else {
            call(server, "startup");
            STARTED.countDown();
        }
        if (roles == null) {
            return server;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server)));
        return roles.equals("broker") ? call(call(server, "broker"), "get") : server;
    }

    private static void startUp(Object server) {
        try {
            call(server, "startup");
            STARTED.countDown();
        } catch (Throwable error) {
            error.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    /** What Kafka's own main class does on SIGTERM: a controlled shutdown. */
    private static void stop(Object server) {
        try {
            call(server, "shutdown");
        } catch (Exception error) {
            error.printStackTrace();
        }
    }

    /** Kafka's system clock, put forward by what was ordered. Delays and timeouts in nanoseconds are not touched. */
    private static Object clock(Class<?> type) throws Exception {
        Object system = type.getField("SYSTEM").get(null);
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, values) -> {
            try {
                method.setAccessible(true);
                Object answer = method.invoke(system, values);
                return method.getName().equals("milliseconds") ? (Object) ((Long) answer + AHEAD.get()) : answer;
            } catch (InvocationTargetException error) {
                throw error.getCause();
            }
        });
    }

    private static String obey(Object server, String[] order) throws Exception {
        switch (order[0]) {
            case "advance":
                AHEAD.addAndGet(Long.parseLong(order[1]));
                return "ok";
            case "checkpoint":
                call(call(server, "replicaManager"), "checkpointHighWatermarks");
                return "ok";
            case "shrink":
                call(call(server, "replicaManager"), "maybeShrinkIsr");
                return "ok";
            case "started":
                STARTED.await();
                return "ok";
            case "applied":
                return "ok " + call(call(call(server, "sharedServer"), "loader"), "lastAppliedOffset");
            case "image":
                return "ok " + image(call(server, "metadataCache"), order[1], Integer.parseInt(order[2]));
            case "inspect":
                return "ok " + inspect(call(server, "replicaManager"), order[1], Integer.parseInt(order[2]));
            default:
                return "failed unknown order " + order[0];
        }
    }

    /** What the broker's memory holds of a partition: `none`, or its own words and the followers' log end offsets. */
    private static String inspect(Object manager, String topic, int number) throws Exception {
        Class<?> name = Class.forName("org.apache.kafka.common.TopicPartition");
        Object key = name.getConstructor(String.class, int.class).newInstance(topic, number);
        Object partition = find(manager.getClass(), "getPartition", 1).invoke(manager, key);
        if (find(partition.getClass(), "get", 0) != null) {
            if (call(partition, "toString").equals("None")) {
                return "none";
            }
            partition = call(partition, "get");
        } else if (find(partition.getClass(), "partition", 0) != null) {
            partition = call(partition, "partition");
        } else {
            return "none";
        }
        StringBuilder told = new StringBuilder();
        told.append("epoch=").append(field(partition, "leaderEpoch"));
        told.append(" version=").append(field(partition, "zkVersion", "partitionEpoch"));
        told.append(" ends=");
        boolean all = find(partition.getClass(), "remoteReplicas", 0) == null;
        Object replicas = call(call(partition, all ? "assignedReplicas" : "remoteReplicas"), "toList");
        while (!(Boolean) call(replicas, "isEmpty")) {
            Object replica = call(replicas, "head");
            Object state = find(replica.getClass(), "stateSnapshot", 0) == null ? replica : call(replica, "stateSnapshot");
            Object end = call(state, "logEndOffset");
            end = end instanceof Long ? end : call(end, "messageOffset");
            told.append(call(replica, "brokerId")).append(':').append(end).append(',');
            replicas = call(replicas, "tail");
        }
        return told + " " + partition;
    }

    /** What the metadata say of a partition, in their own words, as far as the broker has received them. */
    private static Object image(Object cache, String topic, int number) throws Exception {
        Object topics = call(call(cache, "currentImage"), "topics");
        Object found = topics.getClass().getMethod("getTopic", String.class).invoke(topics, topic);
        return found == null ? "none" : ((Map<?, ?>) call(found, "partitions")).get(number);
    }

    private static Object call(Object target, String name) throws Exception {
        Method method = find(target.getClass(), name, 0);
        if (method == null) {
            throw new NoSuchMethodException(target.getClass().getName() + "." + name);
        }
        return method.invoke(target);
    }

    /** The method of this name, also a private one of Scala's, whose name the compiler makes longer. */
    private static Method find(Class<?> type, String name, int parameters) {
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            for (Method method : one.getDeclaredMethods()) {
                boolean same = method.getName().equals(name) || method.getName().endsWith("$$" + name);
                if (same && method.getParameterCount() == parameters && !method.isBridge()) {
                    method.setAccessible(true);
                    return method;
                }
            }
        }
        return null;
    }

    private static Object field(Object target, String... names) throws Exception {
        for (String name : names) {
            for (Class<?> one = target.getClass(); one != null; one = one.getSuperclass()) {
                for (Field field : one.getDeclaredFields()) {
                    if (field.getName().equals(name) || field.getName().endsWith("$$" + name)) {
                        field.setAccessible(true);
                        return field.get(target);
                    }
                }
            }
        }
        return -1;
    }
}
